package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// appendTimes adds times to a file, a line each: seconds, package, test.
func appendTimes(file string, times []took) (err error) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	w := bufio.NewWriter(f)
	for _, t := range times {
		fmt.Fprintf(w, "%.2f\t%s\t%s\n", t.seconds, t.pkg, t.test)
	}
	return w.Flush()
}

func readTimes(from io.Reader) (all []took, err error) {
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		part := strings.SplitN(lines.Text(), "\t", 3)
		if len(part) != 3 {
			return nil, fmt.Errorf("line %d of the times has %d fields and must have 3; write the file again with -save", n, len(part))
		}
		seconds, err := strconv.ParseFloat(part[0], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d of the times begins with %q, which is not a number of seconds; write the file again with -save", n, part[0])
		}
		all = append(all, took{name{part[1], part[2]}, seconds})
	}
	return all, lines.Err()
}

// printSlowest prints the n slowest tests and how much of the time of all tests they took.
func printSlowest(out io.Writer, from io.Reader, n int) error {
	all, err := readTimes(from)
	if err != nil {
		return err
	}
	var total, shown float64
	for _, t := range all {
		total += t.seconds
	}
	if total == 0 {
		fmt.Fprintln(out, "No test ran; all results are of earlier runs.")
		return nil
	}
	slices.SortStableFunc(all, func(a, b took) int { return cmp.Compare(b.seconds, a.seconds) })
	top := all[:min(n, len(all))]
	for _, t := range top {
		shown += t.seconds
	}
	fmt.Fprintf(out, "The %d slowest of %d tests took %.0f s of %.0f s (%.0f %%):\n", len(top), len(all), shown, total, 100*shown/total)
	for _, t := range top {
		fmt.Fprintf(out, "%7.1f s %5.1f %%  %s %s\n", t.seconds, 100*t.seconds/total, short(t.pkg), t.test)
	}
	return nil
}
