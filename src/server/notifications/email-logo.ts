import { LRUCache } from 'lru-cache';
import type { EmailMessage } from '#server/core/mailer.ts';

const prefix = 'cid:logo-';

/** The address of the logo in the HTML of an email: a part of the email, so that reading it loads nothing. */
export const getLogoAddress = (logo: string) => `${prefix}${logo}`;

const picturePattern = /<img\s+src="cid:logo-([^"]+)"[^>]*>/u;

/** Reads the PNG of a logo, the value of the setting `logo`. */
export type ReadLogo = (logo: string) => Promise<Uint8Array | undefined>;

/** Adds the logo that the HTML names. The picture is left out of the HTML if it no longer exists. */
export function createLogoAttachment(readLogo: ReadLogo) {
  const recent = new LRUCache<string, Uint8Array>({ max: 3 });
  return async function attachLogo(message: EmailMessage): Promise<EmailMessage> {
    const logo = picturePattern.exec(message.html)?.[1];
    if (logo === undefined) return message;
    const content = recent.get(logo) ?? (await readLogo(logo));
    if (content === undefined) return { ...message, html: message.html.replace(picturePattern, '') };
    recent.set(logo, content);
    return { ...message, picture: { cid: `logo-${logo}`, content } };
  };
}

/** Shows the logo of an email in a preview, which cannot load parts of emails. */
export async function inlineLogo(html: string, readLogo: ReadLogo): Promise<string> {
  const logo = picturePattern.exec(html)?.[1];
  const content = logo === undefined ? undefined : await readLogo(logo);
  if (logo === undefined || content === undefined) return html.replace(picturePattern, '');
  const data = Buffer.from(content).toString('base64');
  return html.replace(getLogoAddress(logo), `data:image/png;base64,${data}`);
}
