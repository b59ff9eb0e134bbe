import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `PARLEY_API`: where a running server is, for `vite` in development. */
const api = process.env['PARLEY_API'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: 'src/web',
  plugins: [react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2024',
    // A content security policy without data: needs every asset as a file.
    assetsInlineLimit: 0,
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': api, '/socket.io': { target: api, ws: true } },
  },
});
