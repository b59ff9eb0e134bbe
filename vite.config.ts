import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** `PARLEY_API`: where a running server is, for `vite` in development. */
const api = process.env['PARLEY_API'] ?? 'http://127.0.0.1:3000';
const output = path.resolve(import.meta.dirname, 'dist/web');

export default defineConfig({
  root: 'src/web',
  plugins: [react(), compressed()],
  build: {
    outDir: output,
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

/** Writes each text file once more as .br and .gz: the server sends them as they are (src/server/app.ts). */
function compressed(): Plugin {
  return {
    name: 'parley:compressed',
    apply: 'build',
    async closeBundle() {
      const names = await readdir(output, { recursive: true });
      await Promise.all(names.filter((name) => /\.(html|js|css|svg)$/u.test(name)).map(compress));
    },
  };
}

async function compress(name: string): Promise<void> {
  const file = path.join(output, name);
  const content = await readFile(file);
  await Promise.all([
    promisify(brotliCompress)(content).then((small) => writeFile(`${file}.br`, small)),
    promisify(gzip)(content, { level: 9 }).then((small) => writeFile(`${file}.gz`, small)),
  ]);
}
