// One file: the script and the styles go into the page, and a policy allows nothing but them.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let styles = "";
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === "chunk") script += item.code;
        else if (name.endsWith(".css")) styles += String(item.source);
        else continue;
        delete bundle[name];
      }
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("there is no index.html");
      script = `\n${script.trim()}\n`;
      styles = `\n${styles.trim()}\n`;
      if (/<\/(script|style)/i.test(script) || /<\//.test(styles)) throw new Error("a tag inside the code would end it");
      const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(styles)}; img-src data:; base-uri 'none'; form-action 'none'`;
      page.source = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/, "")
        .replace(/<link rel="stylesheet"[^>]*>\s*/, "")
        .replace("@POLICY@", () => policy)
        .replace("<!--styles-->", () => `<style>${styles}</style>`)
        .replace("<!--script-->", () => `<script type="module">${script}</script>`);
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [oneFile()],
  build: { modulePreload: false, assetsInlineLimit: 1 << 30, cssCodeSplit: false, emptyOutDir: true, target: "es2022" },
});
