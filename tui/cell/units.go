package cell

import (
	"fmt"
	"strconv"
	"time"
)

// Duration writes how long something took in at most six cells: "<1ms", "840ms",
// "1.24s", "12.4s", "2m03s", "1h02m", "3d04h".
func Duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0ms"
	case d < time.Millisecond:
		return "<1ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%.2fs", d.Truncate(10*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d < 100*24*time.Hour:
		return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
	}
	return strconv.Itoa(int(d.Hours())/24) + "d"
}

// Age writes how long ago something was in at most three cells: "0s", "59s",
// "59m", "23h", "99d".
func Age(d time.Duration) string {
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h"
	}
	return strconv.Itoa(min(int(d.Hours())/24, 99)) + "d"
}

// Count writes a number in at most five cells: "9999", "12.3k", "1.2M".
func Count(n int64) string {
	f := float64(n)
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", f/1e3)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	case n < 100_000_000:
		return fmt.Sprintf("%.1fM", f/1e6)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// Bytes writes a size in at most eight cells: "512 B", "1.5 KiB", "64 MiB".
func Bytes(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	f := float64(n)
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		f /= 1024
		switch {
		case f < 9.95:
			return fmt.Sprintf("%.1f %s", f, unit)
		case f < 1023.5 || unit == "TiB":
			return fmt.Sprintf("%.0f %s", f, unit)
		}
	}
	return ""
}
