package main

import "fmt"

// basic are the first 16 colours, as a dark theme shows them.
var basic = [16]string{
	"#2a2e36", "#e5707a", "#98c379", "#d9b36c", "#6fa8dc", "#c08ad8", "#63b8bd", "#c8ccd4",
	"#5c6370", "#ee8b93", "#aad48d", "#e6c788", "#8cbdea", "#d1a5e4", "#85cdd1", "#f2f4f7",
}

// indexed is a colour of the 256 that xterm has: 16 basic ones, a cube of
// 6x6x6, and 24 greys.
func indexed(n int) string {
	switch {
	case n < 0 || n > 255:
		return ""
	case n < 16:
		return basic[n]
	case n >= 232:
		grey := 8 + 10*(n-232)
		return rgb(grey, grey, grey)
	}
	level := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	n -= 16
	return rgb(level(n/36), level(n/6%6), level(n%6))
}

// colour reads what follows 38 or 48: 5 and an index, or 2 and three levels.
func colour(ns []int) (c string, rest []int) {
	switch {
	case len(ns) >= 2 && ns[0] == 5:
		return indexed(ns[1]), ns[2:]
	case len(ns) >= 4 && ns[0] == 2:
		return rgb(ns[1], ns[2], ns[3]), ns[4:]
	}
	return "", nil
}

func rgb(r, g, b int) string { return fmt.Sprintf("#%02x%02x%02x", r&255, g&255, b&255) }
