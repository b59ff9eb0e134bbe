import type { ClientBase } from 'pg';
import { ArchiveError } from './stack-exchange-errors.ts';

/** A link from a text to a question, which is evidence for the site if the archive has that question. */
export interface QuestionLink {
  host: string;
  question: number;
  /** The words of the title in the URL. */
  slug: string;
}

const questionAddress = /https?:\/\/([a-z\d.-]{4,100})\/questions\/(\d{1,12})\/([a-z\d-]{1,200})/giu;

const network =
  /(?:^|\.)(?:stackexchange\.com|stackoverflow\.com|superuser\.com|serverfault\.com|askubuntu\.com|stackapps\.com|mathoverflow\.net)$/u;

export function findQuestionLinks(text: string): QuestionLink[] {
  if (!text.includes('/questions/')) return [];
  const links: QuestionLink[] = [];
  for (const [, host = '', question = '', slug = ''] of text.matchAll(questionAddress)) {
    const site = canonicalHost(host);
    if (network.test(site)) links.push({ host: site, question: Number(question), slug: slug.toLowerCase() });
  }
  return links;
}

/** Returns a host name or null. Before 2017, meta sites of the network were written `meta.NAME.stackexchange.com`. */
export function parseSiteName(text: string): string | null {
  const host = text.trim().toLowerCase();
  if (!/^(?=.{4,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/u.test(host)) return null;
  return canonicalHost(host);
}

/** Old addresses of the network begin with `www.` or `meta.`. */
export function canonicalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^www\./u, '')
    .replace(/^meta\.([a-z\d-]+)\.stackexchange\.com$/u, '$1.meta.stackexchange.com');
}

/** Number of links by host in the archive's texts that lead to one of its questions by number and title. */
export interface OwnLinkCount {
  host: string;
  links: number;
}

/** Fewer links are not enough evidence. */
export const minLinks = 3;

/**
 * Returns the hosts whose links have the number and title of questions in the archive, most likely first. Links to
 * other sites, including the site's own meta, match a question's number only with another title. For a renamed site,
 * the name in later links wins.
 */
export async function countOwnLinks(client: ClientBase): Promise<(OwnLinkCount & { late: number })[]> {
  const { rows } = await client.query<{ host: string; links: string; late: string }>(`
    with matching as (
      select link.host, row_number() over (order by link.written desc) as recency
      from archive_link link
      join archive_post post on post.id = link.question and post.kind = 1
      where left(link.slug, 20) = left(trim('-' from regexp_replace(lower(post.title), '[^a-z0-9]+', '-', 'g')), 20)
    )
    select host, count(*) as links, count(*) filter (where recency <= 20) as late
    from matching group by host order by late desc, links desc, host`);
  return rows.map(({ host, links, late }) => ({ host, links: Number(links), late: Number(late) }));
}

/**
 * Infers the site of an archive, with the evidence as a text for the operator.
 * @throws ArchiveError if there is too little evidence
 */
export async function inferSite(client: ClientBase): Promise<{ site: string; evidence: string }> {
  const hosts = await countOwnLinks(client);
  const [first, second] = hosts;
  if (first === undefined || !hasEnoughLinks(hosts) || first.late === second?.late) {
    throw new ArchiveError(
      `The site of the archive cannot be inferred from its links (${describeHosts(hosts)}). ` +
        'Give it with "--site NAME.stackexchange.com".',
    );
  }
  return { site: first.host, evidence: describeEvidence(hosts) };
}

/**
 * Refuses a name that none of the archive's own links has, if there are enough links.
 * @param names all names the site has had
 */
export async function assertSameSite(client: ClientBase, names: readonly string[]): Promise<void> {
  const hosts = await countOwnLinks(client);
  const [first] = hosts;
  if (first === undefined || !hasEnoughLinks(hosts) || hosts.some(({ host }) => names.includes(host))) return;
  throw new ArchiveError(
    `The archive is from ${first.host}, not from ${names[0]}: ${describeEvidence(hosts)}. Import it with "--site ${first.host}".`,
  );
}

function hasEnoughLinks(hosts: readonly OwnLinkCount[]): boolean {
  return hosts.reduce((sum, { links }) => sum + links, 0) >= minLinks;
}

function describeEvidence(hosts: readonly OwnLinkCount[]): string {
  return `${describeHosts(hosts)} lead to questions of this archive by number and title`;
}

function describeHosts(hosts: readonly OwnLinkCount[]): string {
  if (hosts.length === 0) return 'no link leads to a question of this archive';
  return hosts.map(({ host, links }) => `${links} ${links === 1 ? 'link' : 'links'} to ${host}`).join(', ');
}
