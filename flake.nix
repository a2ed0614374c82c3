# Written by `make docs` from integration/release/flake.nix.tmpl:
#   nix run github:agit-suite/agit -- status      nix profile install github:agit-suite/agit
{
  description = "Several AI coding agents in one repository, with shared work, memory and facts";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = (pkgs.buildGoModule.override { go = pkgs.go_1_26; }) {
          pname = "agit";
          version = self.shortRev or "dirty";
          src = self;
          # The modules are those of the workspace: `go work vendor` of this commit.
          overrideModAttrs = _: { buildPhase = "go work vendor"; };
          vendorHash = "sha256-rGhEarvOp8WSDmJKNnzg56iKX8J0aan+RwNZM9X7Umo=";
          env.CGO_ENABLED = 0;
          subPackages = [ "./agit" "./agit/cmd/agit-mcp" "./agit/cmd/agit-top" "./agit/cmd/agit-web" "./citecheck" "./citecheck/cmd/citecheck-mcp" "./classify" "./classify/cmd/classify-mcp" "./memoryd" "./memoryd/cmd/memoryd-mcp" "./pmsync" "./pmsync/cmd/pmsync-mcp" ];
          ldflags = [ "-s" "-w" "-X github.com/agit-suite/agit/shared/cli.Version=${self.shortRev or "dirty"}" ];
          doCheck = false; # `make test` starts git and the programs
          meta = {
            description = "Several AI coding agents in one repository, with shared work, memory and facts";
            homepage = "https://github.com/agit-suite/agit";
            license = nixpkgs.lib.licenses.mit;
            mainProgram = "agit";
          };
        };
      });
    };
}
