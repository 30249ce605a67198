//go:build !linux

package main

func fileSystemThatEnds(string) string { return "" }
