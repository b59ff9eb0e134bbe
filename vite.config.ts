import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { lingui } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { buildWorker } from './vite.config.worker.ts';

/** `PARLEY_API`: where a running server is, for `vite` in development. */
const api = process.env['PARLEY_API'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: 'src/web',
  plugins: [babel({ plugins: ['@lingui/babel-plugin-lingui-macro'] }), react(), lingui(), finished()],
  build: {
    outDir: path.resolve(import.meta.dirname, 'dist/web'),
    emptyOutDir: true,
    target: 'es2024',
    // A content security policy without data: needs every asset as a file.
    assetsInlineLimit: 0,
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: api, ws: true } },
  },
});

/**
 * Adds the service worker, which lists the other files; then writes each text file once more as .br and .gz: the server
 * sends them as they are (src/server/app.ts).
 */
function finished(): Plugin {
  let web = '';
  let output = '';
  return {
    name: 'parley:finished',
    apply: 'build',
    configResolved({ root, build }) {
      web = root;
      // Not the one above: npm start builds beside it first.
      output = path.resolve(root, build.outDir);
    },
    async closeBundle() {
      await buildWorker(web, output);
      const names = await readdir(output, { recursive: true });
      const texts = names.filter((name) => /\.(html|js|css|svg|webmanifest)$/u.test(name));
      await Promise.all(texts.map((name) => compress(path.join(output, name))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  await Promise.all([
    promisify(brotliCompress)(content).then((small) => writeFile(`${file}.br`, small)),
    promisify(gzip)(content, { level: 9 }).then((small) => writeFile(`${file}.gz`, small)),
  ]);
}
