import { expect, test } from '@playwright/test';
import { askQuestion, registerMember, newMember } from '../support/members.ts';
import { postAnswer, postReply, secondMember, uniqueWord } from '../support/posts.ts';

test('the question page has a logical order and descriptive names in the accessibility tree', async ({
  page,
  browser,
}) => {
  const word = uniqueWord('owl');
  await registerMember(page.request, newMember('Ada Asker'));
  const id = await askQuestion(page.request, {
    title: `What does the ${word} say?`,
    content: 'At night.',
    tags: [word],
  });
  const { page: other } = await secondMember(browser, 'Ben Answerer');
  const answerId = await postAnswer(other.request, id, 'It says hoo.');
  await postReply(other.request, answerId, 'Twice.');
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('article', { name: 'Reply by Ben Answerer' })).toBeVisible();
  await expect(page.locator('main')).toMatchAriaSnapshot(`
    - main:
      - article "What does the ${word} say?":
        - heading "What does the ${word} say?" [level=1]
        - link "Ada Asker"
        - link "just now"
        - text: /\\d view/
        - paragraph: At night.
        - list "Tags":
          - listitem:
            - link "${word}"
        - button "Upvote (0)"
        - button "Downvote (0)"
        - button "Follow question"
        - button "Bookmark"
        - button "Share"
        - button "Edit"
        - button "Delete Question"
        - button "More actions"
      - region "Comments":
        - button "Add a comment"
      - tablist "Editor view":
        - tab "Write" [selected]
        - tab "Preview"
      - toolbar "Formatting"
      - tabpanel "Write":
        - textbox "Your answer"
      - button "Post Answer" [disabled]
      - status
      - region "1 Answer":
        - heading "1 Answer" [level=2]
        - article "Answer by Ben Answerer":
          - link "Ben Answerer"
          - link "just now"
          - paragraph: It says hoo.
          - button "Upvote (0)"
          - button "Downvote (0)"
          - button "Reply"
          - button "Accept answer"
          - button "Bookmark"
          - button "Copy link"
        - button "Hide 1 reply" [expanded]
        - list:
          - listitem:
            - article "Reply by Ben Answerer":
              - paragraph: Twice.
              - button "Upvote (0)"
              - button "Downvote (0)"
              - button "Reply"
  `);
});
