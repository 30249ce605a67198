// The svg command draws what a terminal shows as a picture: it reads the output
// of "tmux capture-pane -e -p" and writes an SVG with a cell for each character.
//
//	tmux capture-pane -e -p | go run ./scripts/demo/svg "what it shows" >picture.svg
//
// Each piece of text is told its width, so that columns stay columns whatever
// font the reader has.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, `svg: say in one argument what the picture shows, for those who cannot see it`)
		os.Exit(2)
	}
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		_, err = io.WriteString(os.Stdout, draw(read(string(text)), os.Args[1]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "svg:", err)
		os.Exit(1)
	}
}
