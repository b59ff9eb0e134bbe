import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useId } from 'react';
import type { OwnSession } from '#shared/identity/accounts.ts';
import { toastError } from '#web/core/toast.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton, SkeletonLines } from '#web/ui/Skeleton.tsx';
import { Time } from '#web/ui/Time.tsx';
import { formatBrowserName } from './browser-name.ts';
import { sessionsQuery, useEndOtherSessions, useEndSession } from './settings.ts';
import classes from './settings-list.module.css';

/** The member's active sessions. Every other one can be ended here. */
export function ActiveSessions() {
  const query = useQuery(sessionsQuery);
  const { data } = query;
  const endOthers = useEndOtherSessions();

  if (query.isPending)
    return (
      <LoadingRegion label={t`Loading active sessions`} part>
        <span className={classes.item}>
          <Skeleton width="1.5rem" height="1.5rem" />
          <span className={classes.about}>
            <SkeletonLines widths={['11rem', '15rem']} />
          </span>
        </span>
      </LoadingRegion>
    );
  if (data === undefined) return <LoadError text={t`The list could not be loaded.`} query={query} />;
  // The current session first.
  const sessions = data.items.toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <>
      <ul className={classes.list}>
        {sessions.map((session) => (
          <SessionItem key={session.id} session={session} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <Button
          variant="default"
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate(undefined, { onError: showEndError })}
        >
          {t`Sign out all other sessions`}
        </Button>
      )}
    </>
  );
}

function SessionItem({ session }: { session: OwnSession }) {
  const nameId = useId();
  const end = useEndSession();
  const name = formatBrowserName(session.userAgent);
  const Icon = /iPhone|iPad|Android/u.test(name) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <li className={classes.item}>
      <Icon size={24} stroke={1.5} aria-hidden />
      <div id={nameId} className={classes.about}>
        <div>{name}</div>
        <div className={classes.since}>
          {session.current && <strong>{t`This browser`} · </strong>}
          {session.current ? (
            <Trans>
              signed in <Time at={session.createdAt} />, active now
            </Trans>
          ) : (
            <Trans>
              signed in <Time at={session.createdAt} />, last active <Time at={session.lastUsedAt} />
            </Trans>
          )}
        </div>
      </div>
      {!session.current && (
        <Button
          variant="default"
          size="compact-md"
          aria-describedby={nameId}
          loading={end.isPending}
          onClick={() => end.mutate(session.id, { onError: showEndError })}
        >
          {t`Sign out`}
        </Button>
      )}
    </li>
  );
}

function showEndError() {
  toastError(t`The session could not be signed out. Please try again.`);
}
