// Package webtest drives a real browser through the page of `agit web`: every view, on
// a phone and on a desk, light and dark, by mouse and by keyboard. It is a module of its
// own, so that nothing of it is a dependency of agit. Without a browser its tests are
// skipped, and say so; AGIT_BROWSER names one that is not called chromium. AGIT_SHOTS
// names a folder for pictures of every view.
package webtest
