module engine/helm

go 1.26.0
