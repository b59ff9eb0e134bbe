import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SystemState } from '#shared/admin/system.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { Time } from '#web/ui/Time.tsx';
import { systemQuery } from './system.ts';
import classes from './admin.module.css';

/** What runs: the versions, the migrations, the nodes, the latest backup. */
export function SystemSection() {
  const query = useQuery(systemQuery);
  const { data: system } = query;
  return (
    <section className={classes.section} aria-labelledby="settings-system">
      <h2 id="settings-system">{t`System`}</h2>
      {query.isError && system === undefined && (
        <LoadError text={t`The state of the system could not be loaded.`} query={query} />
      )}
      {query.isPending && (
        <LoadingRegion label={t`Loading the state of the system`}>
          <SkeletonLines widths={['60%', '70%', '50%', '65%']} />
        </LoadingRegion>
      )}
      {system !== undefined && <SystemFacts system={system} />}
    </section>
  );
}

function SystemFacts({ system }: { system: SystemState }) {
  const { version, revision, migrations, postgresql, nodes, email } = system;
  const commit = revision?.slice(0, 12);
  return (
    <dl className={classes.systemFacts}>
      <Fact name={t`Version`}>
        {version}
        {commit !== undefined && (
          <>
            {' '}
            (<code>{commit}</code>)
          </>
        )}
      </Fact>
      <Fact name={t`Database schema`}>
        <MigrationState migrations={migrations} />
      </Fact>
      <Fact name="PostgreSQL">{postgresql}</Fact>
      <Fact name={t`Nodes`}>
        <ul className={classes.nodes}>
          {nodes.map((node) => (
            <li key={`${node.name} ${node.version}`}>
              {node.name} ({node.version})
            </li>
          ))}
        </ul>
      </Fact>
      <Fact name={t`Last backup`}>
        <BackupState backups={system.backups} />
      </Fact>
      {(system.exports.scheduled || system.exports.problem !== null) && (
        <Fact name={t`Last public export`}>
          <ExportState exports={system.exports} />
        </Fact>
      )}
      <Fact name={t`Pictures`}>
        <PictureState pictures={system.pictures} />
      </Fact>
      <Fact name={t`Email`}>{email ? t`A mail server is set up` : t`No mail server is set up`}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function MigrationState({ migrations }: Pick<SystemState, 'migrations'>) {
  const { applied, latest, pending, unknown } = migrations;
  if (unknown.length > 0)
    return (
      <strong>
        {plural(unknown.length, {
          one: 'A newer version has applied # migration that this version does not contain. Restart this node with the newer version.',
          other:
            'A newer version has applied # migrations that this version does not contain. Restart this node with the newer version.',
        })}
      </strong>
    );
  if (pending.length > 0)
    return (
      <strong>
        {plural(pending.length, {
          one: '# migration is not applied. Restart this node to apply it.',
          other: '# migrations are not applied. Restart this node to apply them.',
        })}
      </strong>
    );
  return (
    <>
      {plural(applied, { one: 'Up to date: # migration', other: 'Up to date: # migrations' })} (
      <code>{latest.replace(/\.sql$/, '')}</code>)
    </>
  );
}

function BackupState({ backups }: Pick<SystemState, 'backups'>) {
  const { scheduled, lastSuccess, problem } = backups;
  return (
    <>
      {lastSuccess === null ? t`None` : <Time at={lastSuccess} />}
      {!scheduled && ` · ${t`Daily backups are off`}`}
      {problem !== null && <strong className={classes.problem}>{t`The latest backup failed.`}</strong>}
    </>
  );
}

function PictureState({ pictures: { store, waiting } }: Pick<SystemState, 'pictures'>) {
  return (
    <>
      {store === 's3' ? t`In an object store` : t`In the database`}
      {waiting > 0 &&
        ` · ${plural(waiting, { one: '# file is being moved there', other: '# files are being moved there' })}`}
    </>
  );
}

function ExportState({ exports: { lastSuccess, problem } }: Pick<SystemState, 'exports'>) {
  return (
    <>
      {lastSuccess === null ? t`None` : <Time at={lastSuccess} />}
      {problem !== null && <strong className={classes.problem}>{t`The latest export failed.`}</strong>}
    </>
  );
}
