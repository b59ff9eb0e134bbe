import { isIP } from 'node:net';
import type { Config } from '#server/core/config.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { type Finding, createFinding, okFinding } from './doctor-findings.ts';

const found = createFinding('settings');

/** Settings that are valid and yet not what somebody on the open internet wants. */
export function checkSettings(config: Config): Finding[] {
  const findings = [
    ...checkAddressSettings(config),
    ...checkSecretSettings(config),
    ...checkOperationSettings(config),
  ];
  return findings.some(({ level }) => level !== 'hint')
    ? findings
    : [...findings, okFinding('settings', 'The settings fit together.')];
}

function checkAddressSettings({ settings, host, drainSeconds }: Config): Finding[] {
  const { publicUrl, trustedProxies } = settings;
  const isOpen = !isLoopback(host);
  const findings: Finding[] = [];
  if (publicUrl === null) {
    const what = 'PUBLIC_URL is not set.';
    const why =
      'Cookies are not bound to https, requests are compared with whatever host they name, and mails have no links.';
    findings.push(
      found(
        isOpen || trustedProxies > 0 ? 'problem' : 'hint',
        what,
        why,
        'Set it to the address members use, such as https://ask.example.org',
      ),
    );
  } else if (!publicUrl.startsWith('https:') && !isLoopback(new URL(publicUrl).hostname))
    findings.push(
      found(
        'problem',
        `PUBLIC_URL is ${publicUrl}.`,
        'Without https, anybody on the way reads passwords and sessions.',
        'Put a proxy with TLS in front (docs/operating.md), and set PUBLIC_URL to https',
      ),
    );
  if (publicUrl?.startsWith('https:') === true && trustedProxies === 0)
    findings.push(
      found(
        'problem',
        'PUBLIC_URL is https, and TRUST_PROXY is 0.',
        'Whatever ends TLS is a proxy: all members share its network address, and its limits.',
        'Set TRUST_PROXY to the number of proxies in front, mostly 1',
      ),
    );
  if (trustedProxies > 0 && isOpen)
    findings.push(
      found(
        'warning',
        `HOST is ${host}, and TRUST_PROXY is ${trustedProxies}.`,
        'Whoever reaches Parley past the proxy can make up a network address.',
        'Let only the proxy reach this port: HOST=127.0.0.1, a private address, or a firewall',
      ),
    );
  if (isOpen && trustedProxies === 0)
    findings.push(
      found(
        'warning',
        `HOST is ${host}, without a proxy.`,
        'Parley speaks no TLS itself.',
        'Put a proxy with TLS in front (docs/operating.md)',
      ),
    );
  if (trustedProxies > 0 && drainSeconds === 0)
    findings.push(
      found(
        'hint',
        'DRAIN_SECONDS is 0.',
        'With several nodes, requests fail while one restarts.',
        'With several nodes, set it to 10',
      ),
    );
  return findings;
}

function checkSecretSettings({ secret, metricsToken }: Config): Finding[] {
  const findings: Finding[] = [];
  if (secret !== undefined && new Set(secret).size < 10)
    findings.push(
      found(
        'problem',
        'SECRET is made of few different characters.',
        'Who guesses it can make sessions of anybody.',
        'Set it to what this prints: openssl rand -base64 48',
      ),
    );
  if (metricsToken === undefined)
    findings.push(
      found(
        'hint',
        'METRICS_TOKEN is not set.',
        'Nothing can watch this Parley and call you.',
        'Set it, and let Prometheus read /metrics (docs/operating.md)',
      ),
    );
  return findings;
}

function checkOperationSettings({ backups, email, slowQueryMs }: Config): Finding[] {
  const findings: Finding[] = [];
  if (backups === undefined)
    findings.push(
      found(
        'warning',
        'BACKUP_FOLDER is not set.',
        'A lost disk loses the community.',
        'Set it to a folder on another disk, or take backups with parley backup',
      ),
    );
  else if (backups.scratchDirectory === undefined)
    findings.push(
      found(
        'hint',
        'BACKUP_SCRATCH is not set.',
        'Backups are read again, but never restored to see that they are whole.',
        'Set it to a folder with room for the database',
      ),
    );
  if (email === undefined)
    findings.push(
      found(
        'hint',
        'SMTP_URL is not set.',
        'Nothing is mailed, forgotten passwords neither.',
        'Set SMTP_URL and MAIL_FROM (docs/operating.md)',
      ),
    );
  if (slowQueryMs === 0)
    findings.push(
      found(
        'hint',
        'SLOW_QUERY_MS is 0.',
        'Slow statements are not logged.',
        'Leave it out, or set it to 1000',
      ),
    );
  return findings;
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** Asks the address that members use, as one of them would. */
export async function checkPublicUrl(publicUrl: string | null): Promise<Finding[]> {
  if (publicUrl === null) return [];
  const found = createFinding('address');
  const why = 'Members may not reach it either; or this machine alone cannot reach itself by that name.';
  try {
    const response = await fetch(`${publicUrl}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    });
    const text = (await response.text()).trim();
    if (response.status === 200 && text === 'alive')
      return [okFinding('address', `${publicUrl} leads to a Parley.`)];
    if (response.status >= 300 && response.status < 400)
      return [
        found(
          'problem',
          `${publicUrl} leads elsewhere (${response.status}).`,
          'PUBLIC_URL must be the address that members stay on.',
          `Set PUBLIC_URL to where it leads: ${response.headers.get('location') ?? 'unknown'}`,
        ),
      ];
    return [
      found(
        'problem',
        `${publicUrl}/healthz answers with ${response.status}, and not as a Parley does.`,
        why,
        'Look at the proxy, and whether Parley runs.',
      ),
    ];
  } catch (error) {
    const cause =
      error instanceof Error && error.cause !== undefined
        ? getErrorMessage(error.cause)
        : getErrorMessage(error);
    return [
      found(
        'warning',
        `${publicUrl} cannot be reached from here: ${cause}.`,
        why,
        'Look at the name, the certificate, the proxy, and whether Parley runs.',
      ),
    ];
  }
}
