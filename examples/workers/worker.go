// A worker in Go, without libraries: go build worker.go && ./worker. The tasks are those of conformance.py.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

type object = map[string]any

const slots = 8

var worker string
var free, checkpoints, stops = make(chan bool, slots), sync.Map{}, sync.Map{} // the maps by run

func call(method, path string, body, data any) {
	sent, _ := json.Marshal(body)
	for pause := 100 * time.Millisecond; ; pause = 2 * time.Second {
		request, _ := http.NewRequest(method, os.Getenv("DUETIME_URL")+"/api/v1/workers"+path, bytes.NewReader(sent))
		request.Header = http.Header{"Authorization": {"Bearer " + os.Getenv("DUETIME_TOKEN")}, "Content-Type": {"application/json"}}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			got := struct{ Data, Error any }{Data: data}
			err = json.NewDecoder(answer.Body).Decode(&got)
			answer.Body.Close()
			if answer.StatusCode < 300 && err == nil {
				return
			} else if answer.StatusCode < 500 {
				log.Fatal(method, " ", path, ": ", got.Error)
			}
		}
		time.Sleep(pause) // the server is away: the same call again is harmless
	}
}

func beat() {
	runs, asked := []object{}, struct{ Cancel, Stale []string }{}
	checkpoints.Range(func(run, value any) bool { runs = append(runs, object{"run": run, "checkpoint": value}); return true })
	call("POST", "/"+worker+"/beat", object{"runs": runs}, &asked)
	for _, run := range append(asked.Cancel, asked.Stale...) {
		if stop, ok := stops.Load(run); ok {
			stop.(context.CancelFunc)()
		}
	}
}

func carryOut(ctx context.Context, run object) object {
	switch {
	case run["task"] == "echo":
		return object{"status": "succeeded", "result": run["message"]}
	case run["task"] == "fail":
		return object{"status": "failed", "retryable": false, "error": object{"kind": "asked", "message": "as asked"}}
	case run["task"] == "flaky" && run["attempt"] == 1.0:
		return object{"status": "failed", "retry_in_ms": 0}
	case run["task"] == "flaky":
		return object{"status": "succeeded", "result": run["attempt"]}
	case run["task"] == "later" && run["checkpoint"] == nil:
		checkpoints.Store(run["run"], 1)
		beat()
		return object{"status": "snoozed", "retry_in_ms": 100}
	case run["task"] == "later":
		return object{"status": "succeeded", "result": run["checkpoint"]}
	case run["task"] == "wait":
		<-ctx.Done()
		return object{"status": "failed"}
	}
	return object{"status": "failed", "retryable": false, "error": object{"message": fmt.Sprint("no task ", run["task"])}}
}

func work(ctx context.Context, run object) {
	outcome := carryOut(ctx, run)
	outcome["run"] = run["run"]
	call("POST", "/"+worker+"/settle", object{"outcomes": []object{outcome}}, nil)
	checkpoints.Delete(run["run"])
	stops.Delete(run["run"])
	free <- true
}

func main() {
	registered, ends := struct {
		Worker  string
		Beat_ms int
	}{}, make(chan os.Signal, 1)
	call("POST", "", object{"name": "go", "queues": []string{os.Getenv("DUETIME_QUEUE")}, "slots": slots, "sdk": "go"}, &registered)
	worker = registered.Worker
	signal.Notify(ends, syscall.SIGTERM, os.Interrupt)
	go func() { <-ends; call("DELETE", "/"+worker, nil, nil); os.Exit(0) }()
	go func() {
		for range time.Tick(time.Duration(registered.Beat_ms) * time.Millisecond) {
			beat()
		}
	}()
	for range [slots]bool{} {
		free <- true
	}
	for take := 1; ; take++ {
		free <- <-free // waits until a slot is free
		taken := struct{ Runs []object }{}
		call("POST", "/"+worker+"/take", object{"take_id": fmt.Sprint(take), "max": len(free), "wait_ms": 20000}, &taken)
		for _, run := range taken.Runs {
			<-free
			ctx, stop := context.WithCancel(context.Background())
			checkpoints.Store(run["run"], run["checkpoint"])
			stops.Store(run["run"], stop)
			go work(ctx, run)
		}
	}
}
