package framework

var swiftRows = []row{
	{name: "vapor", kind: Framework, any: "vapor"},
	{name: "hummingbird", kind: Framework, any: "hummingbird"},
	{name: "kitura", kind: Framework, any: "kitura"},
	{name: "perfect", kind: Framework, any: "perfect-httpserver"},
	{name: "smoke", kind: Framework, any: "smoke-framework"},
}
