package main

import (
	"os"
	"time"
)

// exitWithParent calls end once the process that started this one is gone: a killed engine cannot stop its hosts.
func exitWithParent(end func()) {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		end()
	}()
}
