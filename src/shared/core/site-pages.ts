import { z } from 'zod';
import { sitePageNames } from './site-page-names.ts';

/** @property text Markdown, not empty. */
export const sitePage = z.object({ name: z.enum(sitePageNames), text: z.string() });
export type SitePage = z.infer<typeof sitePage>;

/** @property href an http, https or mailto address, or a path on this server */
export const footerLink = z.object({ label: z.string(), href: z.string() });
export type FooterLink = z.infer<typeof footerLink>;

/** Reads a line of the setting footerLinks: 'Status | https://status.example.org'. */
export function parseFooterLink(line: string): FooterLink {
  const [label = '', ...rest] = line.split('|');
  return { label: label.trim(), href: rest.join('|').trim() };
}
