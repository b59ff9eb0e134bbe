import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter, usePageSearch } from '#web/core/router.ts';
import { useState } from 'react';
import type { Me } from '#shared/identity/accounts.ts';
import {
  type PeriodStatistics,
  type Statistics,
  statisticsUnit,
  type StatisticsUnit,
} from '#shared/admin/statistics.ts';
import { formatCount } from '#web/core/format.ts';
import { ModerationMenu } from '#web/moderation/index.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { ButtonLink } from '#web/ui/Link.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { TabLinks } from '#web/ui/TabLinks.tsx';
import { Time } from '#web/ui/Time.tsx';
import pageClasses from '#web/ui/page.module.css';
import { DownloadLink } from '#web/ui/DownloadLink.tsx';
import { AdminMenu } from './AdminMenu.tsx';
import { describePeriod, StatisticsChart } from './StatisticsChart.tsx';
import { formatShare, listMeasures, type Measure } from './statistics-measures.ts';
import { downloadPath, statisticsPath, statisticsQuery } from './statistics.ts';
import { StatisticsTables } from './StatisticsTables.tsx';
import classes from './statistics.module.css';
import { oneOf } from '#web/core/page-search.ts';

/** Weeks are the default of an address without a unit. */
const parseStatisticsSearch = ({
  unit,
  tag,
  start,
}: Record<string, unknown>): {
  unit?: StatisticsUnit | undefined;
  tag?: string | undefined;
  start?: string | undefined;
} => ({
  unit: oneOf(unit, 'day', 'week', 'month'),
  tag: typeof tag === 'string' && tag !== '' ? tag : undefined,
  start: typeof start === 'string' ? start : undefined,
});

/** The statistics of the community or a topic, for moderators. */
export function StatisticsPage({ member }: { member: Me }) {
  const title = t`Statistics`;
  usePageTitle(title);
  const { unit = 'week', tag, start } = usePageSearch(parseStatisticsSearch);
  const query = useQuery({ ...statisticsQuery({ unit, tag }), placeholderData: keepPreviousData });
  const labels = { day: t`Days`, week: t`Weeks`, month: t`Months` };
  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{title}</PageHeading>
        <div className={pageClasses.buttons}>
          {tag !== undefined && (
            <ButtonLink href={statisticsPath({ unit, start })}>{t`All topics`}</ButtonLink>
          )}
          <DownloadLink href={downloadPath('', { unit, tag })} of={title} />
          <ModerationMenu />
          {member.role === 'admin' && <AdminMenu />}
        </div>
      </div>
      {tag !== undefined && (
        <p className={classes.ofTag}>
          <Trans>
            Topic: <bdi>{tag}</bdi>
          </Trans>
        </p>
      )}
      <TabLinks
        label={t`Length of a period`}
        tabs={statisticsUnit.options.map((key) => ({
          key,
          label: labels[key],
          href: statisticsPath({ unit: key, tag }),
        }))}
        current={unit}
      >
        {query.data?.countedAt === null ? (
          <EmptyState
            title={t`Counting …`}
            text={t`Statistics are counted for the first time. This takes about a minute after the start, and then they show up here.`}
          />
        ) : query.data?.unit === unit ? (
          <Overview
            key={`${unit} ${tag ?? ''}`}
            statistics={query.data}
            countedAt={query.data.countedAt}
            tag={tag}
            start={start}
          />
        ) : (
          query.isError && <LoadError text={t`The results could not be loaded.`} query={query} />
        )}
      </TabLinks>
    </>
  );
}

function Overview({
  statistics: { unit, periods },
  countedAt,
  tag,
  start,
}: {
  statistics: Statistics;
  countedAt: string;
  tag: string | undefined;
  start: string | undefined;
}) {
  const router = useRouter();
  const measures = listMeasures(tag !== undefined);
  const [key, setKey] = useState('questions');
  const measure = measures.find((each) => each.key === key) ?? measures[0];
  const shown = periods.slice(1);
  const at = chooseIndex(periods, start);
  const [before, period] = [periods[at - 1], periods[at]];
  if (measure === undefined || before === undefined || period === undefined) return null;
  const isFinished = at < periods.length - 1;
  const options = shown
    .toReversed()
    .map((each): readonly [string, string] => [each.start, describePeriod(unit, each.start)]);
  return (
    <>
      <div className={classes.period}>
        <SelectField
          label={t`Period`}

          options={options}
          value={period.start}
          onChange={(chosen) =>
            void router.navigate(statisticsPath({ unit, tag, start: chosen }), { resetScroll: false })
          }
        />
        {!isFinished && <span className={classes.none}>{t`Not complete yet`}</span>}
      </div>
      <fieldset className={classes.tiles} aria-label={t`Show in the chart`}>
        {measures.map((each) => (
          <Tile
            key={each.key}
            measure={each}
            value={each.valueOf(period)}
            before={each.valueOf(before)}
            isFinished={isFinished}
            isPressed={each === measure}
            onPress={() => setKey(each.key)}
          />
        ))}
      </fieldset>
      <StatisticsChart unit={unit} measure={measure} periods={shown} chosen={period.start} />
      {tag === undefined && <StatisticsTables unit={unit} start={period.start} />}
      <p className={classes.counted}>
        <Trans>
          Counted <Time at={countedAt} />. Days, weeks and months are in UTC. Active members asked, answered
          or replied. Times are medians.
        </Trans>
      </p>
    </>
  );
}

/** The chosen period; otherwise the last complete one or, in a community that began after it, the current one. */
function chooseIndex(periods: readonly PeriodStatistics[], start: string | undefined): number {
  const chosen = periods.findIndex((period) => period.start === start);
  if (chosen > 0) return chosen;
  const last = periods.length - 1;
  const isEmpty = (period: PeriodStatistics | undefined) =>
    period === undefined ||
    period.questions +
      period.answers +
      (period.community?.newMembers ?? 0) +
      (period.community?.reports ?? 0) ===
      0;
  return isEmpty(periods[last - 1]) && !isEmpty(periods[last]) ? last : last - 1;
}

function Tile(props: {
  measure: Measure;
  value: number | null;
  before: number | null;
  isFinished: boolean;
  isPressed: boolean;
  onPress: () => void;
}) {
  const { measure, value, before, isFinished } = props;
  return (
    <button type="button" className={classes.tile} aria-pressed={props.isPressed} onClick={props.onPress}>
      <span className={classes.label}>{measure.label}</span>
      <span className={classes.value}>{value === null ? '–' : measure.format(value)}</span>
      <span className={classes.before}>
        {before === null ? t`None before` : compare(measure, { value, before, isFinished })}
      </span>
    </button>
  );
}

/** Below it, changes in percent are large and say little. */
const minCompared = 10;

/**
 * An incomplete period is not compared by percent, because it would always fall. Neither are small numbers and shares:
 * '50% more than 67%' can be read in two ways.
 */
function compare(
  measure: Measure,
  { value, before, isFinished }: { value: number | null; before: number; isFinished: boolean },
): string {
  const former = measure.format(before);
  const isComparable = measure.format !== formatShare && before >= minCompared;
  if (!isFinished || !isComparable || value === null || value === before) return t`Before: ${former}`;
  const percent = Math.round((value / before - 1) * 100);
  const change = formatCount(Math.abs(percent));
  return percent < 0 ? t`${change}% less than ${former}` : t`${change}% more than ${former}`;
}
