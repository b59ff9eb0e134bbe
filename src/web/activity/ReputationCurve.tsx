import { t } from '@lingui/core/macro';
import type { MemberReputation } from '#shared/activity.ts';
import { exactCount } from '#web/platform/counts.ts';
import { Months } from './Months.tsx';
import { NumberTable, Picture } from './Picture.tsx';
import { dayReputation, dayText, reputationSummary } from './texts.ts';
import { useReading } from './useReading.ts';
import { dailyReputation, linePath } from './year.ts';
import classes from './ReputationCurve.module.css';

/** A member's reputation over a year, between the least and the most it was. */
export function ReputationCurve({ reputation }: { reputation: MemberReputation }) {
  const days = dailyReputation(reputation);
  const values = days.map((each) => each.reputation);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const last = days.length - 1;
  const { current, handlers } = useReading({
    count: days.length,
    across: 1,
    indexAt: (x) => Math.max(0, Math.min(last, Math.round(x * last))),
  });
  const pointed = current === null ? undefined : days[current];
  const summary = reputationSummary(reputation.start, values.at(-1) ?? reputation.start);
  const line = linePath(values);
  const firstDay = dayText(reputation.from);
  return (
    <Picture
      title={t`Reputation`}
      summary={summary}
      reading={pointed === undefined ? null : dayReputation(pointed)}
      note={t`From the votes that stand today`}
      table={
        <NumberTable
          heads={[t`Day (UTC)`, t`Reputation`]}
          rows={[
            ...reputation.days
              .toReversed()
              .map((each): [string, string] => [dayText(each.day), exactCount(each.reputation)]),
            [t`Before ${firstDay}`, exactCount(reputation.start)],
          ]}
        />
      }
    >
      <div className={classes.frame}>
        <div className={classes.scale} aria-hidden>
          <span>{exactCount(most)}</span>
          {least !== most && <span>{exactCount(least)}</span>}
        </div>
        <div
          {...handlers}
          className={classes.plot}
          aria-label={t`Reputation by day. ${summary}.`}
          aria-valuetext={dayReputation(
            pointed ?? days[last] ?? { day: reputation.to, reputation: reputation.start },
          )}
        >
          <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden>
            <path d={`${line}V104H0Z`} className={classes.area} />
            <path d={line} className={classes.line} vectorEffect="non-scaling-stroke" />
          </svg>
          {pointed !== undefined && current !== null && (
            <span
              className={classes.dot}
              style={{
                insetInlineStart: `${(current / Math.max(1, last)) * 100}%`,
                insetBlockStart: `${most === least ? 50 : ((most - pointed.reputation) / (most - least)) * 100}%`,
              }}
            />
          )}
        </div>
        <div className={classes.months}>
          <Months from={reputation.from} />
        </div>
      </div>
    </Picture>
  );
}
