// Package webtest drives a real browser through the page of `agit web`: every view, on a phone and on a desktop, light and dark, by
// mouse and by keyboard. It is a separate module, so that agit does not depend on its libraries. Without a browser its tests are
// skipped with a message; AGIT_BROWSER names one that is not called chromium. AGIT_SHOTS names a folder for pictures of every view.
package webtest
