import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { tagKey } from '#shared/core/text.ts';
import { limits } from '#shared/core/limits.ts';
import type { Audience } from '#shared/discovery/similar.ts';
import { translateError } from '#web/core/errors.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { tagRulesQuery } from './similar-questions.ts';
import { changeTagProposals, parseTagProposals } from './tag-proposals.ts';
import classes from './TagNotes.module.css';

/**
 * Says which tags a question needs, which are refused, and which it gets instead of the typed ones. A refused tag can be
 * proposed to the moderators.
 */
export function TagNotes({
  audience,
  proposals,
  field,
  onPropose,
}: {
  audience: Audience | undefined;
  /** The tag field, which gets the focus when a proposal ends. */
  field: RefObject<HTMLElement | null>;
  /** As in the draft. */
  proposals: string;
  /** Absent where tags cannot be proposed. */
  onPropose?: (proposals: string) => void;
}) {
  const rules = useQuery(tagRulesQuery).data;
  const [latest, setLatest] = useState<string | null>(null);
  const names = (rules?.required ?? []).join(', ');
  const isNew = rules?.canCreate === false ? (audience?.tags ?? []).filter((tag) => tag.isNew) : [];
  const proposed = onPropose === undefined ? {} : parseTagProposals(proposals);
  const refused = isNew.filter(({ name }) => !Object.hasOwn(proposed, tagKey(name)));
  const waiting = isNew.filter(({ name }) => Object.hasOwn(proposed, tagKey(name)));
  const replaced = (audience?.tags ?? []).flatMap(({ name, synonymOf }) =>
    synonymOf === null ? [] : [{ name, synonymOf }],
  );
  function set(name: string, reason: string | null) {
    onPropose?.(changeTagProposals(proposals, name, reason));
    if (reason === null) field.current?.focus();
  }
  function propose(name: string) {
    setLatest(name);
    set(name, '');
  }
  return (
    <div className={classes.notes}>
      <output className={classes.texts}>
        {names !== '' && <span dir="auto">{t`Add at least one of these tags: ${names}`}</span>}
        {refused.map(({ name: tag }) => (
          <span key={tag} className={classes.refused} dir="auto">
            {rules?.minReputation == null
              ? translateError('new-tag-by-moderators', { tag })
              : translateError('new-tag-needs-reputation', { tag, reputation: rules.minReputation })}
          </span>
        ))}
        {replaced.map(({ name, synonymOf }) => (
          <span key={name} dir="auto">{t`“${name}” becomes “${synonymOf}”, which means the same.`}</span>
        ))}
      </output>
      {onPropose !== undefined && rules?.canPropose === true && refused.length > 0 && (
        <div className={classes.buttons}>
          {refused.map(({ name }) => (
            <Button key={name} variant="default" size="sm" onClick={() => propose(name)}>
              <bdi>{t`Propose “${name}”`}</bdi>
            </Button>
          ))}
        </div>
      )}
      {waiting.map(({ name }) => (
        <ProposedTagFields
          key={name}
          name={name}
          reason={proposed[tagKey(name)] ?? ''}
          isFocused={name === latest}
          onChange={(reason) => set(name, reason)}
        />
      ))}
    </div>
  );
}

function ProposedTagFields({
  name,
  reason,
  isFocused,
  onChange,
}: {
  name: string;
  reason: string;
  /** Whether the member has just pressed 'Propose', whose button is gone now. */
  isFocused: boolean;
  /** Null ends the proposal. */
  onChange: (reason: string | null) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, [isFocused]);
  return (
    <fieldset className={classes.proposal}>
      <legend dir="auto">{t`Proposed tag: “${name}”`}</legend>
      <p className={classes.hint}>
        {t`Your question is posted without this tag. It gets the tag when a moderator approves it.`}
      </p>
      <div>
        <TextInput
          label={t`Why is this tag needed? (optional)`}
          ref={input}
          dir="auto"
          autoComplete="off"
          maxLength={limits.tagProposalReason * 2}
          value={reason}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <CharacterCounter text={reason} max={limits.tagProposalReason} />
      </div>
      <div className={classes.buttons}>
        <Button variant="subtle" color="gray" size="sm" onClick={() => onChange(null)}>
          {t`Don't propose`}
        </Button>
      </div>
    </fieldset>
  );
}
