import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { StatisticsUnit, TagStatistics } from '#shared/admin/statistics.ts';
import { formatCount } from '#web/core/format.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { ScrollBox } from '#web/ui/markdown/ScrollBox.tsx';
import { Link } from '#web/ui/Link.tsx';
import { DownloadLink } from '#web/ui/DownloadLink.tsx';
import { formatDuration, formatShare } from './statistics-measures.ts';
import {
  downloadPath,
  emptySearchesQuery,
  searchDays,
  statisticsPath,
  tagStatisticsQuery,
} from './statistics.ts';
import classes from './statistics.module.css';

/** The topics of a period, and what members searched for in vain. */
export function StatisticsTables({ unit, start }: { unit: StatisticsUnit; start: string }) {
  return (
    <>
      <TagTable unit={unit} start={start} />
      <EmptySearchTable />
    </>
  );
}

function TagTable({ unit, start }: { unit: StatisticsUnit; start: string }) {
  const query = useQuery(tagStatisticsQuery({ unit, day: start }));
  const title = t`Topics`;
  const shareOf = (part: number, { questions }: TagStatistics['items'][number]) =>
    questions === 0 ? '–' : formatShare(part / questions);
  return (
    <Section title={title} download={downloadPath('/tags', { unit, day: start })}>
      {query.data === undefined ? (
        query.isError && <LoadError text={t`The results could not be loaded.`} query={query} />
      ) : query.data.items.length === 0 ? (
        <p className={classes.none}>{t`No questions or answers in this period.`}</p>
      ) : (
        <Table
          title={title}
          heads={[t`Topic`, t`Questions`, t`Before`, t`Answers`, t`Answered`, t`Accepted`, t`First answer`]}
          rows={query.data.items.map((each) => ({
            key: each.tag,
            head: (
              <Link href={statisticsPath({ unit, tag: each.tag, start })}>
                <bdi>{each.tag}</bdi>
              </Link>
            ),
            values: [
              formatCount(each.questions),
              formatCount(each.questionsBefore),
              formatCount(each.answers),
              shareOf(each.answeredQuestions, each),
              shareOf(each.solvedQuestions, each),
              each.firstAnswerSeconds === null ? '–' : formatDuration(each.firstAnswerSeconds),
            ],
          }))}
        />
      )}
    </Section>
  );
}

function EmptySearchTable() {
  const query = useQuery(emptySearchesQuery);
  const title = t`Searches without results`;
  const days = formatCount(searchDays);
  return (
    <Section title={title} download={downloadPath('/searches', { days: searchDays })}>
      <p className={classes.none}>
        {t`What members looked for in vain in the last ${days} days. Who searched is not stored.`}
      </p>
      {query.data === undefined ? (
        query.isError && <LoadError text={t`The results could not be loaded.`} query={query} />
      ) : query.data.items.length === 0 ? (
        <p className={classes.none}>{t`Every search found something.`}</p>
      ) : (
        <Table
          title={title}
          heads={[t`Search`, t`Times`]}
          rows={query.data.items.map((each) => ({
            key: each.query,
            head: (
              <Link href={`${paths.search}${stringifySearch({ q: each.query })}`}>
                <bdi>{each.query}</bdi>
              </Link>
            ),
            values: [formatCount(each.searches)],
          }))}
        />
      )}
    </Section>
  );
}

function Section({ title, download, children }: { title: string; download: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <h2 className={classes.title}>{title}</h2>
        <DownloadLink href={download} of={title} />
      </div>
      {children}
    </section>
  );
}

type Row = { key: string; head: ReactNode; values: readonly string[] };

function Table({ title, heads, rows }: { title: string; heads: readonly string[]; rows: readonly Row[] }) {
  return (
    <ScrollBox label={title} className={classes.table}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, head, values }) => (
            <tr key={key}>
              <th scope="row">{head}</th>
              {values.map((value, index) => (
                <td key={heads[index + 1]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
