import { dirname, join } from "node:path";
import * as esbuild from "esbuild";

/**
 * `import source from "worker:./file.ts"`: the file bundled as the script of a worker, as text. A page in one
 * file starts it from a blob.
 *
 * @type {esbuild.Plugin}
 */
export const workers = {
  name: "workers",
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, (found) => ({
      path: join(dirname(found.importer), found.path.slice("worker:".length)),
      namespace: "worker",
    }));
    build.onLoad({ filter: /.*/, namespace: "worker" }, async (found) => {
      const built = await esbuild.build({
        entryPoints: [found.path],
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        target: build.initialOptions.target ?? "es2022",
        charset: "utf8",
        legalComments: "none",
        logLevel: "warning",
      });
      return { contents: built.outputFiles[0]?.text ?? "", loader: "text", watchFiles: [found.path] };
    });
  },
};
