package uses

import "testing"

// TestMeans has a file with a definition of price, or of Price, and another one that uses that name.
func TestMeans(t *testing.T) {
	t.Parallel()
	const (
		function = "def price(n):\n    return n\n"
		method   = "class Cart:\n    def price(self, n):\n        return n\n"
		goFunc   = "package cart\n\nfunc Price() int { return 1 }\n"
		goMethod = "package cart\n\ntype T struct{}\n\nfunc (t T) Price() int { return 1 }\n"
	)
	for _, c := range []struct {
		rule            string
		where, text     string
		file, use, name string
		want            bool
	}{
		{"a function by its name", "shop/cart.py", function, "main.py", "x = price(1)\n", "price", true},
		{"a name that the file binds itself", "shop/cart.py", function, "main.py", "def run(price):\n    return price(1)\n", "price", false},
		{"a name that the file binds itself, behind a module", "shop/cart.py", function, "main.py", "def run(price):\n    return cart.price(1)\n", "price", true},
		{"imported from there", "shop/cart.py", function, "main.py", "from shop.cart import price\nx = price(1)\n", "price", true},
		{"imported from elsewhere", "shop/cart.py", function, "main.py", "from shops.tax import price\nx = price(1)\n", "price", false},
		{"imported from elsewhere, but used behind the module", "shop/cart.py", function, "main.py", "from shops.tax import price\nx = cart.price(1)\n", "price", true},
		{"behind the file's name", "shop/cart.py", function, "main.py", "x = cart.price(1)\n", "price", true},
		{"behind the folder's name", "shop/cart.py", function, "main.py", "x = shop.price(1)\n", "price", true},
		{"behind another name", "shop/cart.py", function, "main.py", "x = tax.price(1)\n", "price", false},
		{"behind a name that is imported from there", "shop/cart.py", function, "main.py", "import shop.cart as c\nx = c.price(1)\n", "price", true},
		{"behind the file's name, which is imported from elsewhere", "shop/cart.py", function, "main.py", "import tax as cart\nx = cart.price(1)\n", "price", true},
		{"behind an alias of another module", "shop/cart.py", function, "main.py", "import tax as shopping\nz = shopping.price(1)\n", "price", false},
		{"a function behind self", "shop/cart.py", function, "main.py", "x = self.price(1)\n", "price", false},
		{"a function behind self, in Rust", "shop/cart.rs", "fn price() {}\n", "main.rs", "fn run() { self::price(); }\n", "price", true},
		{"a function behind crate, in Rust", "shop/cart.rs", "fn price() {}\n", "main.rs", "fn run() { crate::price(); }\n", "price", true},
		{"a function behind self, in PHP", "shop/cart.php", "<?php\nfunction price() {}\n", "main.php", "<?php\nself::price();\n", "price", true},
		{"a function behind a namespace, in C++", "shop/cart.cpp", "int price() { return 1; }\n", "main.cpp", "int run() { return other::price(); }\n", "price", true},
		{"a function behind a value, in C++", "shop/cart.cpp", "namespace n {\nint price() { return 1; }\n}\n", "main.cpp", "int run() { return more().price(); }\n", "price", false},
		{"a function behind a value, in Kotlin", "shop/cart.kt", "fun price(n: Int) = n\n", "main.kt", "fun run() = more.price(1)\n", "price", true},
		{"a constant by its name", "shop/cart.py", "price = 1\n", "main.py", "x = price + 1\n", "price", true},
		{"a constant behind another name", "shop/cart.py", "price = 1\n", "main.py", "x = tax.price\n", "price", false},

		{"a method called on a value", "shop/cart.py", method, "main.py", "x.price(1)\n", "price", true},
		{"a method called on self", "shop/cart.py", method, "main.py", "self.price(1)\n", "price", true},
		{"a method without a value", "shop/cart.py", method, "main.py", "price(1)\n", "price", false},
		{"a method without a value, in Java", "Cart.java", "class Cart {\n  int price() { return 1; }\n}\n", "Main.java", "class Main {\n  int run() { return price(); }\n}\n", "price", true},
		{"a method that is imported, in Java", "Cart.java", "class Cart {\n  int price() { return 1; }\n}\n", "Main.java", "import static shop.Cart.price;\n", "price", true},
		{"a method that is not called", "shop/cart.py", method, "main.py", "x.price\n", "price", false},
		{"a method that is not called, in Ruby", "cart.rb", "class Cart\n  def price\n    1\n  end\nend\n", "main.rb", "x.price\n", "price", true},
		{"a property that is not called", "shop/cart.py", "class Cart:\n    @property\n    def price(self):\n        return 1\n", "main.py", "x.price\n", "price", true},
		{"a method behind a package, in Go", "cart/cart.go", goMethod, "web/web.go", "package web\n\nimport \"shop/cart\"\n\nvar x = cart.Price()\n", "Price", false},
		{"a method on a value, in Go", "cart/cart.go", goMethod, "web/web.go", "package web\n\nimport \"shop/cart\"\n\nvar x = y.Price()\n", "Price", true},

		{"a constant of an enumeration behind it", "a.ts", "enum Color { Price, Blue }\n", "b.ts", "x(Color.Price)\n", "Price", true},
		{"a constant of an enumeration behind another one", "a.ts", "enum Color { Price, Blue }\n", "b.ts", "x(Kind.Price)\n", "Price", false},
		{"a constant of a class behind self", "a.py", "class Cart:\n    PRICE = 1\n", "b.py", "x(self.PRICE)\n", "PRICE", true},
		{"a constant of an inner class behind that", "a.py", "class Shop:\n    class Cart:\n        PRICE = 1\n", "b.py", "x(Cart.PRICE)\n", "PRICE", true},
		{"a constant of an inner class behind the outer one", "a.py", "class Shop:\n    class Cart:\n        PRICE = 1\n", "b.py", "x(Shop.PRICE)\n", "PRICE", false},
		{"a type behind any name", "a.py", "class Price: pass\n", "b.py", "x.Price(1)\n", "Price", true},

		{"a static function of C, elsewhere", "a.c", "static int price(int n) { return n; }\n", "b.c", "int run(void) { return price(1); }\n", "price", false},
		{"a static function of C, in its file", "a.c", "static int price(int n) { return n; }\n", "a.c", "int run(void) { return price(1); }\n", "price", true},

		{"the own package of Go", "cart/cart.go", goFunc, "cart/more.go", "package cart\n\nvar x = Price()\n", "Price", true},
		{"a value of the own package of Go", "cart/cart.go", goFunc, "cart/more.go", "package cart\n\nvar x = y.Price()\n", "Price", false},
		{"the own package of Go behind its name", "cart/cart.go", goFunc, "cart/more.go", "package cart\n\nvar x = cart.Price()\n", "Price", false},
		{"the own package of Go behind its name, in a test of another package", "cart/cart.go", goFunc, "cart/more_test.go", "package cart_test\n\nvar x = cart.Price()\n", "Price", true},
		{"another package of Go", "cart/cart.go", goFunc, "web/web.go", "package web\n\nvar x = Price()\n", "Price", false},
		{"another package of Go behind this one's name", "cart/cart.go", goFunc, "web/web.go", "package web\n\nimport \"shop/cart\"\n\nvar x = cart.Price()\n", "Price", true},
		{"another package of Go behind its folder's name", "carts/cart.go", goFunc, "web/web.go", "package web\n\nimport c \"shop/carts\"\n\nvar x = c.Price()\n", "Price", true},
		{"another package of Go behind a third one's name", "cart/cart.go", goFunc, "web/web.go", "package web\n\nimport \"shop/tax\"\n\nvar x = tax.Price()\n", "Price", false},
		{"another package of Go behind a value", "cart/cart.go", goFunc, "web/web.go", "package web\n\nvar x = more().Price()\n", "Price", false},
	} {
		where := parse(c.where, c.text)
		u := lastUse(t, c.file, c.use, c.name)
		found := false
		for i := range where.defs {
			if where.defs[i].name == c.name {
				found = true
				if got := means(&where.defs[i], where, u); got != c.want {
					t.Errorf("%s: %v, want %v", c.rule, got, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: %s does not define %s", c.rule, c.where, c.name)
		}
	}
}
