import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'hono';
import { escapeMarkup } from './core/markup.ts';
import type { RuntimeSettings } from './core/runtime-settings.ts';

/** Serves the files of the web build that have the name of the site in them. Browsers ask for them at every visit. */
export function createSiteFiles(directory: string, { get }: Pick<RuntimeSettings, 'get'>) {
  const read = (name: string) => readFile(path.join(directory, name), 'utf8');
  return { sendManifest, sendShell };

  /** The web app manifest: name and description of the installed app. */
  async function sendManifest(c: Context): Promise<Response> {
    const manifest = JSON.parse(await read('manifest.webmanifest')) as { description?: string };
    const name = get('siteName');
    const description = get('siteDescription') || manifest.description;
    return c.body(JSON.stringify({ ...manifest, name, short_name: name, description }), 200, {
      'content-type': 'application/manifest+json',
      'cache-control': 'no-cache',
    });
  }

  /** The page without content, for visitors and for the service worker. */
  async function sendShell(c: Context): Promise<Response> {
    return c.html(nameSite(await read('index.html'), get('siteName')), 200, { 'cache-control': 'no-cache' });
  }
}

/** Replaces the name in the title of index.html, and where the web app reads it before it knows the session. */
function nameSite(html: string, siteName: string): string {
  const name = escapeMarkup(siteName);
  return nameApplication(html, siteName).replace(/<title>[^<]*<\/title>/u, () => `<title>${name}</title>`);
}

/** Replaces the name in `<meta name="application-name">`. */
export function nameApplication(html: string, siteName: string): string {
  return html.replace(
    /(<meta name="application-name" content=")[^"]*/u,
    (_, tag: string) => tag + escapeMarkup(siteName),
  );
}
