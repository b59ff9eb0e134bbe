import { t } from '@lingui/core/macro';
import { useEffect, useRef } from 'react';
import { type MemberActivity, weeksShown } from '#shared/discovery/activity.ts';
import { Chart, ChartTable, MonthLabels } from './Chart.tsx';
import { listActivityDays, toHeatLevel } from './chart-data.ts';
import { contributionsText, formatDay, summarizeYear } from './activity-messages.ts';
import { useChartCursor } from './useChartCursor.ts';
import classes from './ActivityHeatMap.module.css';

/** The distance between two days and the side of a day by level: higher levels are larger as well as darker. */
const cellStep = 13;
const cellSizes = [3, 6, 8, 10, 11] as const;
/** Of a label's area. With fractional pixel sizes the ratio never reaches 1. */
const fullyVisibleRatio = 0.97;

/** The posts of a member per day over a year: one column per week, Monday at the top. */
export function ActivityHeatMap({ activity }: { activity: MemberActivity }) {
  const days = listActivityDays(activity);
  const most = Math.max(1, ...days.map(({ total }) => total));
  const scroller = useRef<HTMLDivElement>(null);
  const { current, handlers } = useChartCursor({
    count: days.length,
    across: 7,
    indexAt: (x, y) => {
      const index = Math.floor(x * weeksShown) * 7 + Math.min(6, Math.floor(y * 7));
      return index >= 0 && index < days.length ? index : null;
    },
  });
  const pointed = current === null ? undefined : days[current];
  const summary = summarizeYear(days);

  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    // Scrolls to the last weeks if the chart is wider than the screen.
    box.scrollLeft = getComputedStyle(box).direction === 'rtl' ? -box.scrollWidth : box.scrollWidth;
    return hideClippedMonths(box);
  }, []);

  return (
    <Chart
      title={t`Activity`}
      summary={summary}
      reading={pointed === undefined ? null : contributionsText(pointed)}
      note={<HeatMapLegend />}
      table={
        <ChartTable
          heads={[t`Day (UTC)`, t`Questions`, t`Answers`, t`Replies`]}
          rows={days
            .filter(({ total }) => total > 0)
            .toReversed()
            .map(({ day, questions, answers, replies }) => [formatDay(day), questions, answers, replies])}
        />
      }
    >
      <div ref={scroller} className={classes.scroller}>
        <div className={classes.year}>
          <MonthLabels from={activity.from} />
          <div
            {...handlers}
            className={classes.days}
            aria-label={t`Activity by day. ${summary}.`}
            aria-valuetext={contributionsText(pointed ?? days.at(-1) ?? { day: activity.to, total: 0 })}
          >
            <svg viewBox={`0 0 ${weeksShown * cellStep} ${7 * cellStep}`} aria-hidden>
              {days.map(({ day, total }, index) => (
                <DayCell
                  key={day}
                  index={index}
                  level={toHeatLevel(total, most)}
                  pointed={index === current}
                />
              ))}
            </svg>
          </div>
        </div>
      </div>
    </Chart>
  );
}

/**
 * Hides the month labels that the edge would clip.
 * @returns a function that stops it.
 */
function hideClippedMonths(box: HTMLElement): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries)
        target.toggleAttribute('data-cut', intersectionRatio < fullyVisibleRatio);
    },
    { root: box, threshold: fullyVisibleRatio },
  );
  for (const month of box.querySelectorAll('[data-month]')) observer.observe(month);
  return () => observer.disconnect();
}

function DayCell({ index, level, pointed }: { index: number; level: 0 | 1 | 2 | 3 | 4; pointed: boolean }) {
  const size = cellSizes[level];
  const x = Math.floor(index / 7) * cellStep;
  const y = (index % 7) * cellStep;
  const inset = (cellStep - size) / 2;
  return (
    <>
      <rect x={x + inset} y={y + inset} width={size} height={size} rx={size / 4} data-level={level} />
      {pointed && <rect x={x} y={y} width={cellStep} height={cellStep} rx={3} className={classes.selected} />}
    </>
  );
}

function HeatMapLegend() {
  return (
    <span className={classes.legend}>
      {t`Less`}
      <svg viewBox={`0 0 ${5 * cellStep} ${cellStep}`} width={5 * cellStep} height={cellStep} aria-hidden>
        {([0, 1, 2, 3, 4] as const).map((level) => (
          <DayCell key={level} index={level * 7} level={level} pointed={false} />
        ))}
      </svg>
      {t`More`}
    </span>
  );
}
