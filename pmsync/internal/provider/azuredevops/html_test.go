package azuredevops

import "testing"

// TestHTML has texts and the HTML that the service is sent.
func TestHTML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"# One\n\n###### Six":               "<h1>One</h1>\n<h6>Six</h6>",
		"a **b**\nc  \nd":                   "<p>a <strong>b</strong>\nc<br>\nd</p>",
		"- a\n- b\n\n  c\n\n3. d":           "<ul>\n<li>a</li>\n<li>b\n<p>c</p></li>\n</ul>\n<ol start=\"3\">\n<li>d</li>\n</ol>",
		"1. a\n   - b":                      "<ol>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n</ol>",
		"- [x] done":                        "<ul>\n<li>[x] done</li>\n</ul>",
		"- ```\n  a<b\n  ```":               "<ul>\n<li><pre><code>a&lt;b\n</code></pre></li>\n</ul>",
		"> a\n\n---":                        "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>",
		"| a | b |\n|---|---|\n| 1 | *2* |": "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td><em>2</em></td></tr>\n</table>",
		"see https://a.b/c_d?e=f, or **http://x.y.**": "<p>see <a href=\"https://a.b/c_d?e=f\">https://a.b/c_d?e=f</a>, or <a href=\"http://x.y\"><strong>http://x.y</strong></a><strong>.</strong></p>",
		"`https://a.b`": "<p><code>https://a.b</code></p>",
		"[a](javascript:b) [c](/d) [e](MAILTO:f) [g](./h:i)": "<p>a <a href=\"/d\">c</a> <a href=\"MAILTO:f\">e</a> <a href=\"./h:i\">g</a></p>",
		"![a](https://b/c.png) ![d](data:e)":                 "<p><img src=\"https://b/c.png\" alt=\"a\"> d</p>",
		"a <script>b</script>":                               "<p>a &lt;script&gt;b&lt;/script&gt;</p>",
	} {
		if got := htmlOf(text); got != want {
			t.Errorf("%q is\n%q, want\n%q", text, got, want)
		}
	}
}
