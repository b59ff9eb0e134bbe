import { weeksShown } from '#shared/activity.ts';
import { formatDay } from './texts.ts';
import { listMonthStarts } from './year.ts';
import classes from './Months.module.css';

/** The names of the months along a picture of a year. @param from the year's first day. */
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
