import { isIP } from 'node:net';
import type { Config } from '#server/core/config.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { type Finding, createFinding, okFinding } from './doctor-findings.ts';

const finding = createFinding('settings');

/** Valid settings that are unsuitable for a server on the open internet. */
export function checkSettings(config: Config): Finding[] {
  const findings = [
    ...checkAddressSettings(config),
    ...checkSecretSettings(config),
    ...checkOperationSettings(config),
  ];
  return findings.some(({ level }) => level !== 'hint')
    ? findings
    : [...findings, okFinding('settings', 'The settings are consistent.')];
}

function* checkAddressSettings({ settings, host, drainSeconds }: Config): Iterable<Finding> {
  const { publicUrl, trustedProxies } = settings;
  const isOpen = !isLoopback(host);
  if (publicUrl === null) {
    const what = 'PUBLIC_URL is not set.';
    const why =
      "Cookies are not restricted to HTTPS, a request's origin is compared with any host it names, and emails have no links.";
    yield finding(
      isOpen || trustedProxies > 0 ? 'problem' : 'hint',
      what,
      why,
      'Set it to the address members use, such as https://ask.example.org',
    );
  } else if (!publicUrl.startsWith('https:') && !isLoopback(new URL(publicUrl).hostname))
    yield finding(
      'problem',
      `PUBLIC_URL is ${publicUrl}.`,
      'Without HTTPS, anyone on the network path can read passwords and sessions.',
      'Put a proxy with TLS in front (docs/operating.md), and set PUBLIC_URL to https',
    );
  if (publicUrl?.startsWith('https:') === true && trustedProxies === 0)
    yield finding(
      'problem',
      'PUBLIC_URL is https, and TRUSTED_PROXIES is 0.',
      'The server that terminates TLS is a proxy: all members share its network address and its rate limits.',
      'Set TRUSTED_PROXIES to the number of proxies in front, usually 1',
    );
  if (trustedProxies > 0 && isOpen)
    yield finding(
      'warning',
      `HOST is ${host}, and TRUSTED_PROXIES is ${trustedProxies}.`,
      'A client that bypasses the proxy can forge its network address.',
      'Allow only the proxy to reach this port: HOST=127.0.0.1, a private address, or a firewall',
    );
  if (isOpen && trustedProxies === 0)
    yield finding(
      'warning',
      `HOST is ${host}, without a proxy.`,
      'Parley does not support TLS itself.',
      'Put a proxy with TLS in front (docs/operating.md)',
    );
  if (trustedProxies > 0 && drainSeconds === 0)
    yield finding(
      'hint',
      'DRAIN_SECONDS is 0.',
      'With several nodes, requests fail while one restarts.',
      'With several nodes, set it to 10',
    );
}

function* checkSecretSettings({ secret, metricsToken }: Config): Iterable<Finding> {
  if (secret !== undefined && new Set(secret).size < 10)
    yield finding(
      'problem',
      'SECRET has few different characters.',
      'Anyone who guesses it can forge sessions of any member.',
      'Set it to the output of: openssl rand -base64 48',
    );
  if (metricsToken === undefined)
    yield finding(
      'hint',
      'METRICS_TOKEN is not set.',
      'No monitoring can watch this Parley and alert you.',
      'Set it, and let Prometheus read /metrics (docs/operating.md)',
    );
}

function* checkOperationSettings({
  backups,
  email,
  isSending,
  slowQueryMs,
  unknownVariables,
}: Config): Iterable<Finding> {
  if (unknownVariables.length > 0)
    yield finding(
      'warning',
      `.env has names that are no settings: ${unknownVariables.join(', ')}.`,
      'Parley ignores them. One may be a misspelt setting.',
      'Correct or remove them; .env.example lists the settings',
    );
  if (backups === undefined)
    yield finding(
      'warning',
      'BACKUP_DIRECTORY is not set.',
      'If the disk fails, the community is lost.',
      'Set it to a directory on another disk, or take backups with parley backup',
    );
  else if (backups.scratchDirectory === undefined)
    yield finding(
      'hint',
      'BACKUP_SCRATCH_DIRECTORY is not set.',
      'Backups are read again, but never restored to verify them.',
      'Set it to a directory with enough space for the database',
    );
  if (!isSending)
    yield finding(
      'warning',
      'SENDING is off.',
      'Parley sends no emails, push messages and web hooks.',
      'Remove it, unless this is a copy of a community',
    );
  if (email === undefined)
    yield finding(
      'hint',
      'SMTP_URL is not set.',
      'Parley sends no emails, not even to reset passwords.',
      'Set SMTP_URL and EMAIL_FROM (docs/operating.md)',
    );
  if (slowQueryMs === 0)
    yield finding(
      'hint',
      'SLOW_QUERY_MS is 0.',
      'Slow statements are not logged.',
      'Remove it, or set it to 1000',
    );
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** Requests the public address as a member's browser would. */
export async function checkPublicUrl(publicUrl: string | null): Promise<Finding[]> {
  if (publicUrl === null) return [];
  const finding = createFinding('address');
  const why = 'Members may not reach it either, or only this machine cannot reach itself by that name.';
  try {
    const response = await fetch(`${publicUrl}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    });
    const text = (await response.text()).trim();
    if (response.status === 200 && text === 'alive')
      return [okFinding('address', `${publicUrl} is a Parley server.`)];
    if (response.status >= 300 && response.status < 400)
      return [
        finding(
          'problem',
          `${publicUrl} redirects (${response.status}).`,
          'PUBLIC_URL must be the address that members stay on.',
          `Set PUBLIC_URL to the target: ${response.headers.get('location') ?? 'unknown'}`,
        ),
      ];
    return [
      finding(
        'problem',
        `${publicUrl}/healthz responds with ${response.status}, unlike a Parley server.`,
        why,
        'Check the proxy, and whether Parley runs.',
      ),
    ];
  } catch (error) {
    const cause =
      error instanceof Error && error.cause !== undefined
        ? getErrorMessage(error.cause)
        : getErrorMessage(error);
    return [
      finding(
        'warning',
        `${publicUrl} cannot be reached from here: ${cause}.`,
        why,
        'Check the name, the certificate, the proxy, and whether Parley runs.',
      ),
    ];
  }
}
