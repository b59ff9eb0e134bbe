import { weeksShown } from '#shared/activity.ts';
import { dayText } from './texts.ts';
import { monthStarts } from './year.ts';
import classes from './Months.module.css';

/** The names of the months along a picture of a year. @param from the year's first day. */
export function Months({ from }: { from: string }) {
  return (
    <div className={classes.months} aria-hidden>
      {monthStarts(from).map(({ week, day }) => (
        <span key={day} data-month style={{ insetInlineStart: `${(week / weeksShown) * 100}%` }}>
          {dayText(day, 'month')}
        </span>
      ))}
    </div>
  );
}
