import { t } from '@lingui/core/macro';
import { useEffect, useRef } from 'react';
import { type MemberActivity, weeksShown } from '#shared/activity.ts';
import { Months } from './Months.tsx';
import { levelOf, yearDays } from './year.ts';
import { NumberTable, Picture } from './Picture.tsx';
import { dayContributions, dayText, yearSummary } from './texts.ts';
import { useReading } from './useReading.ts';
import classes from './HeatMap.module.css';

/** Distance of two days, and the edge of a day of each level: more is larger as well as stronger in colour. */
const step = 13;
const edges = [3, 6, 8, 10, 11] as const;
/** Of a name's area; sizes that are no whole pixels never add up to 1. */
const wholly = 0.97;

/** What a member wrote on each day of a year: a column a week, Monday at the top. */
export function HeatMap({ activity }: { activity: MemberActivity }) {
  const days = yearDays(activity);
  const most = Math.max(1, ...days.map(({ total }) => total));
  const scroller = useRef<HTMLDivElement>(null);
  const { current, handlers } = useReading({
    count: days.length,
    across: 7,
    indexAt: (x, y) => {
      const index = Math.floor(x * weeksShown) * 7 + Math.min(6, Math.floor(y * 7));
      return index >= 0 && index < days.length ? index : null;
    },
  });
  const pointed = current === null ? undefined : days[current];
  const summary = yearSummary(days);

  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    // Where it is wider than the screen, the last weeks are in view.
    box.scrollLeft = getComputedStyle(box).direction === 'rtl' ? -box.scrollWidth : box.scrollWidth;
    return hideCutMonths(box);
  }, []);

  return (
    <Picture
      title={t`Activity`}
      summary={summary}
      reading={pointed === undefined ? null : dayContributions(pointed)}
      note={<Legend />}
      table={
        <NumberTable
          heads={[t`Day (UTC)`, t`Questions`, t`Answers`, t`Replies`]}
          rows={days
            .filter(({ total }) => total > 0)
            .toReversed()
            .map(({ day, questions, answers, replies }) => [dayText(day), questions, answers, replies])}
        />
      }
    >
      <div ref={scroller} className={classes.scroller}>
        <div className={classes.year}>
          <Months from={activity.from} />
          <div
            {...handlers}
            className={classes.days}
            aria-label={t`Activity by day. ${summary}.`}
            aria-valuetext={dayContributions(pointed ?? days.at(-1) ?? { day: activity.to, total: 0 })}
          >
            <svg viewBox={`0 0 ${weeksShown * step} ${7 * step}`} aria-hidden>
              {days.map(({ day, total }, index) => (
                <Day key={day} index={index} level={levelOf(total, most)} pointed={index === current} />
              ))}
            </svg>
          </div>
        </div>
      </div>
    </Picture>
  );
}

/** A name of a month that the edge would cut does not show. @returns what ends it. */
function hideCutMonths(box: HTMLElement): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries)
        target.toggleAttribute('data-cut', intersectionRatio < wholly);
    },
    { root: box, threshold: wholly },
  );
  for (const month of box.querySelectorAll('[data-month]')) observer.observe(month);
  return () => observer.disconnect();
}

function Day({ index, level, pointed }: { index: number; level: 0 | 1 | 2 | 3 | 4; pointed: boolean }) {
  const edge = edges[level];
  const x = Math.floor(index / 7) * step;
  const y = (index % 7) * step;
  const inset = (step - edge) / 2;
  return (
    <>
      <rect x={x + inset} y={y + inset} width={edge} height={edge} rx={edge / 4} data-level={level} />
      {pointed && <rect x={x} y={y} width={step} height={step} rx={3} className={classes.pointed} />}
    </>
  );
}

function Legend() {
  return (
    <span className={classes.legend}>
      {t`Less`}
      <svg viewBox={`0 0 ${5 * step} ${step}`} width={5 * step} height={step} aria-hidden>
        {([0, 1, 2, 3, 4] as const).map((level) => (
          <Day key={level} index={level * 7} level={level} pointed={false} />
        ))}
      </svg>
      {t`More`}
    </span>
  );
}
