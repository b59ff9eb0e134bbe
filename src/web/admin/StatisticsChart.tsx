import { t } from '@lingui/core/macro';
import { addPeriods, type PeriodStatistics, type StatisticsUnit } from '#shared/admin/statistics.ts';
import { addDays } from '#shared/discovery/activity.ts';
import { Chart, ChartTable, useChartCursor } from '#web/discovery/index.ts';
import { formatPeriod, type Measure } from './statistics-measures.ts';
import classes from './statistics.module.css';

/** Units of the picture per period: a bar and its distance to the next. */
const step = 10;
const height = 100;

export const describePeriod = (unit: StatisticsUnit, start: string) =>
  formatPeriod(unit, start, addDays(addPeriods(unit, start, 1), -1));

/** A measure over all periods. The current period, which is not complete, is lighter. */
export function StatisticsChart({
  unit,
  measure,
  periods,
  chosen,
}: {
  unit: StatisticsUnit;
  measure: Measure;
  periods: readonly PeriodStatistics[];
  /** The first day of the period whose numbers the page shows. */
  chosen: string;
}) {
  const values = periods.map((period) => ({ start: period.start, value: measure.valueOf(period) }));
  const most = Math.max(0, ...values.map(({ value }) => value ?? 0));
  const { current, handlers } = useChartCursor({
    count: values.length,
    indexAt: (x) => Math.max(0, Math.min(values.length - 1, Math.floor(x * values.length))),
  });
  const textOf = (value: number | null) => (value === null ? '–' : measure.format(value));
  const describe = (each: { start: string; value: number | null }) =>
    `${describePeriod(unit, each.start)}: ${textOf(each.value)}`;
  const last = values.at(-1) ?? { start: chosen, value: null };
  const reading = describe((current === null ? undefined : values[current]) ?? last);
  const maximum = textOf(most);
  const barOf = (value: number | null) =>
    value === null || value === 0 ? 0 : Math.max(2, (value / most) * height);

  return (
    <Chart
      title={measure.label}
      summary={t`Maximum: ${maximum}`}
      reading={current === null ? null : reading}
      note={t`The last period is not complete yet.`}
      table={
        <ChartTable
          heads={[t`Period (UTC)`, measure.label]}
          rows={values.toReversed().map(({ start, value }) => [describePeriod(unit, start), textOf(value)])}
        />
      }
    >
      <div {...handlers} className={classes.plot} aria-label={measure.label} aria-valuetext={reading}>
        <svg viewBox={`0 0 ${values.length * step} ${height}`} preserveAspectRatio="none" aria-hidden>
          {values.map(({ start, value }, index) => (
            <g key={start}>
              {(index === current || start === chosen) && (
                <rect x={index * step} y={0} width={step} height={height} className={classes.chosen} />
              )}
              <rect
                x={index * step + 1.5}
                y={height - barOf(value)}
                width={step - 3}
                height={barOf(value)}
                className={classes.bar}
                data-unfinished={index === values.length - 1 || undefined}
              />
            </g>
          ))}
        </svg>
      </div>
    </Chart>
  );
}
