package framework

var swiftRows = []row{
	{name: "vapor", kind: Framework, any: "vapor"},
	{name: "hummingbird", kind: Framework, any: "hummingbird"},
	{name: "kitura", kind: Framework, any: "kitura"},
	{name: "perfect", kind: Framework, any: "perfect-httpserver"},
	{name: "smoke", kind: Framework, any: "smoke-framework"},
	// No manifest declares the frameworks of the system, so imports reveal them.
	{name: "swiftui", kind: UI, imports: "SwiftUI", aka: "swift ui"},
	{name: "uikit", kind: UI, imports: "UIKit"},
	{name: "appkit", kind: UI, imports: "AppKit"},
}
