// Command tailrace stands on 127.0.0.1 between an LLM application and its
// providers: watch, kill and resume its streams from the terminal.
package main

import (
	"os"

	"tailrace/cmd/internal/quiet"
)

func main() {
	quiet.Restore()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
