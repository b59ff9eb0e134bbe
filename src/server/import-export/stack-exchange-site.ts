import type { ClientBase } from 'pg';
import { ArchiveError } from './stack-exchange-errors.ts';

/** A link from a text to a question, which tells where that question is if the archive holds it. */
export interface QuestionLink {
  host: string;
  question: number;
  /** The words of the title as the address has them. */
  slug: string;
}

const questionAddress = /https?:\/\/([a-z\d.-]{4,100})\/questions\/(\d{1,12})\/([a-z\d-]{1,200})/giu;

const network =
  /(?:^|\.)(?:stackexchange\.com|stackoverflow\.com|superuser\.com|serverfault\.com|askubuntu\.com|stackapps\.com|mathoverflow\.net)$/u;

export function findQuestionLinks(text: string): QuestionLink[] {
  if (!text.includes('/questions/')) return [];
  const found: QuestionLink[] = [];
  for (const [, host = '', question = '', slug = ''] of text.matchAll(questionAddress)) {
    const site = canonicalHost(host);
    if (network.test(site)) found.push({ host: site, question: Number(question), slug: slug.toLowerCase() });
  }
  return found;
}

/** A host name, or null. Sites of the network were written `meta.NAME.stackexchange.com` before 2017. */
export function parseSiteName(text: string): string | null {
  const host = text.trim().toLowerCase();
  if (!/^(?=.{4,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/u.test(host)) return null;
  return canonicalHost(host);
}

function canonicalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^www\./u, '')
    .replace(/^meta\.([a-z\d-]+)\.stackexchange\.com$/u, '$1.meta.stackexchange.com');
}

/** Links in the archive's texts that lead to a question of it by number and title, by host. */
export interface OwnLinkCount {
  host: string;
  links: number;
}

/** Fewer links than this are not enough to tell. */
const minLinks = 3;

/**
 * The hosts whose links to questions have the number and the title of questions in the archive, the most likely first.
 * Links to other sites, the site's own meta included, hit a question of the same number only with another title. A site that
 * was renamed is known by the name that the later links use.
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

/** The site an archive is from, and how sure that is, in words for the operator. @throws ArchiveProblem */
export async function inferSite(client: ClientBase): Promise<{ site: string; evidence: string }> {
  const hosts = await countOwnLinks(client);
  const [first, second] = hosts;
  if (first === undefined || !hasEnoughLinks(hosts) || first.late === second?.late) {
    throw new ArchiveError(
      `Which site the archive is from cannot be told from its own links (${describeHosts(hosts)}). ` +
        'Name it with "--site NAME.stackexchange.com".',
    );
  }
  return { site: first.host, evidence: describeEvidence(hosts) };
}

/**
 * Refuses a name that none of the archive's own links has, where there are enough of them to tell.
 * @param names all that the site has had
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
