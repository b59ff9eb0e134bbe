import { t } from '@lingui/core/macro';
import { type ReactNode, useId, useState } from 'react';
import { ScrollBox } from '#web/ui/markdown/ScrollBox.tsx';
import classes from './Chart.module.css';
import { weeksShown } from '#shared/discovery/activity.ts';
import { formatDay } from './activity-messages.ts';
import { listMonthStarts } from './chart-data.ts';

/** A chart with a title, a summary and its values as a table. */
export function Chart(props: {
  title: string;
  /** A sentence that sums up the chart. */
  summary: string;
  /** The text for the selected value; null if none is selected. */
  reading: string | null;
  /** Shown while no value is selected: the legend or the source of the values. */
  note: ReactNode;
  table: ReactNode;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const titleId = useId();
  const tableId = useId();
  return (
    <figure className={classes.chart} aria-labelledby={titleId}>
      <div className={classes.head}>
        <h2 id={titleId} className={classes.title}>
          {props.title}
        </h2>
        <p className={classes.summary}>{props.summary}</p>
      </div>
      {props.children}
      <figcaption className={classes.foot}>
        {/* Screen readers get it from the slider. */}
        {props.reading === null ? (
          <span className={classes.note}>{props.note}</span>
        ) : (
          <span className={classes.value} aria-hidden>
            {props.reading}
          </span>
        )}
        <button
          type="button"
          className={classes.toggle}
          aria-expanded={open}
          aria-controls={open ? tableId : undefined}
          aria-describedby={titleId}
          onClick={() => setOpen(!open)}
        >
          {open ? t`Hide table` : t`Show as table`}
        </button>
      </figcaption>
      {open && (
        <div id={tableId}>
          <ScrollBox label={props.title} className={classes.table}>
            {props.table}
          </ScrollBox>
        </div>
      )}
    </figure>
  );
}

/** The values of a chart, newest first. */
export function ChartTable({
  heads,
  rows,
}: {
  heads: readonly string[];
  rows: readonly (readonly [string, ...(string | number)[]])[];
}) {
  return (
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
        {rows.map(([first, ...values]) => (
          <tr key={first}>
            <th scope="row">{first}</th>
            {values.map((value, index) => (
              <td key={heads[index + 1]}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * The month labels of a one-year chart.
 * @param from the first day of the year.
 */
export function MonthLabels({ from }: { from: string }) {
  return (
    <div className={classes.months} aria-hidden>
      {listMonthStarts(from).map(({ week, day }) => (
        <span key={day} data-month style={{ insetInlineStart: `${(week / weeksShown) * 100}%` }}>
          {formatDay(day, 'month')}
        </span>
      ))}
    </div>
  );
}
