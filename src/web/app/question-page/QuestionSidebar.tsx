import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { IconExternalLink } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { RelatedQuestionCards } from '#shared/discovery/similar.ts';
import { RelatedQuestions, relatedQuery } from '#web/discovery/feeds/RelatedQuestions.tsx';
import { translateTagDescription } from '#web/discovery/tags/tags.ts';
import { Author } from '#web/posts/Author.tsx';
import { listParticipants, type Participant } from '#web/posts/questions/participants.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { sanitizeUrl } from '#web/ui/markdown/sanitize-url.ts';
import page from '#web/ui/page.module.css';
import classes from './QuestionSidebar.module.css';

const maxParticipants = 6;

/**
 * The column next to the question in wide windows, otherwise below the answers: related questions, tags and
 * participants. It appears as a whole, when the related questions are loaded, so that nothing in it moves.
 */
export default function QuestionSidebar({ page: data }: { page: QuestionPageData }) {
  const { isPending, data: related } = useQuery(relatedQuery(data.question.id));
  if (isPending) return null;
  return (
    <div className={`${classes.sidebar} ${page.sideColumn}`}>
      <RelatedQuestions id={data.question.id} />
      <TagDescriptions tags={related?.tags ?? []} />
      <Participants participants={listParticipants(data)} />
    </div>
  );
}

function SidebarSection({ heading, children }: { heading: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.section}>
      <h2 id={id} className={classes.heading}>
        {heading}
      </h2>
      {children}
    </section>
  );
}

/** Without the tags that have no description of their own: 'Discussion about {tag}' says nothing. */
function TagDescriptions({ tags }: Pick<RelatedQuestionCards, 'tags'>) {
  if (tags.length === 0) return null;
  return (
    <SidebarSection heading={t`About the topics`}>
      <dl className={classes.tags}>
        {tags.map((tag) => (
          <div key={tag.name}>
            <dt>{tag.name}</dt>
            <dd>{translateTagDescription(tag)}</dd>
          </div>
        ))}
      </dl>
    </SidebarSection>
  );
}

function Participants({ participants }: { participants: readonly Participant[] }) {
  // A lone author is named above the text.
  if (participants.length < 2) return null;
  const hiddenCount = participants.length - maxParticipants;
  return (
    <SidebarSection heading={t`People in this thread`}>
      <ParticipantList participants={participants.slice(0, maxParticipants)} />
      {hiddenCount > 0 && (
        <details className={classes.more}>
          <summary>
            <Trans>+{hiddenCount} more</Trans>
          </summary>
          <ParticipantList participants={participants.slice(maxParticipants)} />
        </details>
      )}
    </SidebarSection>
  );
}

function ParticipantList({ participants }: { participants: readonly Participant[] }) {
  return (
    <ul className={classes.people}>
      {participants.map(({ id, name, avatar, profile }) => (
        <li key={id} className={classes.person}>
          <Avatar id={id} name={name} avatar={avatar} size={22} />
          <Author id={id} name={name} className={classes.name} />
          {profile !== null && <ProfileLink {...profile} name={name} />}
        </li>
      ))}
    </ul>
  );
}

/** The author's profile on the original site, which the licence of imported posts requires. */
function ProfileLink({ site, url, name }: { site: string; url: string; name: string }) {
  const href = sanitizeUrl(url);
  const title = t`${name} on ${site}`;
  if (href === '') return null;
  return (
    <a href={href} rel="nofollow ugc noopener" className={classes.profile} aria-label={title} title={title}>
      <IconExternalLink size={14} stroke={1.6} aria-hidden="true" />
    </a>
  );
}
