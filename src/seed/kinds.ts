import type { Area } from './places'

/**
 * A kind of post, in parts that go together. `{topic}` is what the post is about. Titles and closings also take
 * `{day}`, `{time}`, `{number}`, `{version}` and `{ticket}`, differ from post to post, and hold no markup.
 */
export interface Kind {
  weight: number
  /** How likely such a post is resolved. */
  resolves: number
  areas?: readonly Area[]
  titles: readonly string[]
  openings: readonly string[]
  details: readonly string[]
  closings: readonly string[]
}

const question: Kind = {
  weight: 26,
  resolves: 0.62,
  titles: [
    'Who looks after the {topic} now?',
    'How do we test the {topic}?',
    'Can we change the {topic} before {day}?',
    'Where is the latest version of the {topic}?',
    'Is the {topic} ready for a wider audience?',
  ],
  openings: [
    'I was asked about the **{topic}** this morning and could not answer. The page in the handbook is from last year, and two of the people it names have moved to other teams. Who should I talk to?',
    'Before I start: has anyone tried to make the {topic} simpler? I found an old draft, but it stops in the middle, and I would rather *not* repeat what has been tried.',
    'A short one about the {topic}: is it meant to work for guests as well, or only for members? The text says one thing and the screen another.',
    'We would like to show the {topic} to a few people outside the company. Is there a reason not to, and if not, **who decides**?',
  ],
  details: [
    'What I looked at so far:\n\n- the page in the handbook\n- the notes of the last two reviews\n- the list of open requests, which has nothing on it',
    '> We agreed to look at the {topic} again once the numbers are in.\n\nThat is from the minutes in spring. Are the numbers in?',
    '1. Who owns it today?\n2. Is there a date by which it has to be done?\n3. What happens if we leave it as it is?',
    'The closest I found is [the guide for new colleagues](https://handbook.example.com/start), which mentions it in one line.',
  ],
  closings: [
    'An answer by {day} would be enough. My note on it is {ticket}.',
    'I am at my desk until {time} if talking is easier.',
    'About {number} people are waiting for this, so a pointer is welcome.',
  ],
}

const problem: Kind = {
  weight: 18,
  resolves: 0.6,
  areas: ['build', 'product', 'customers'],
  titles: [
    'The {topic} fails for large accounts',
    'Slow answers from the {topic} since {day}',
    '{ticket}: the {topic} shows the wrong time',
    'Something is off with the {topic}',
  ],
  openings: [
    'The **{topic}** stops half way for accounts with more than a few thousand records. Smaller ones are fine. It began after the last release, and going back one version makes it work again.',
    'Three customers report that the {topic} takes *much* longer than it used to. I can repeat it on a fresh account, so it is not their data.',
    'Since the clocks changed, the {topic} is an hour off for everyone east of us. The stored values are right; only what is shown is wrong.',
  ],
  details: [
    '```\nWARN  slow request  path=/v2/posts  ms=4182\nWARN  slow request  path=/v2/posts  ms=3977\nERROR gave up after 3 tries\n```',
    '### How to repeat it\n\n1. Sign in with a new account.\n2. Open the {topic} and wait for the list.\n3. Scroll to the end, then press **Back**.\n\nThe second time, nothing happens.',
    '| Size of account | Before | Now |\n| --- | ---: | ---: |\n| small | 0.2 s | 0.2 s |\n| medium | 0.4 s | 2.9 s |\n| large | 1.1 s | *never* |',
    'I think it is this line: `if (rows.length > limit) return []`. It should cut the list, not empty it.',
  ],
  closings: [
    'I will look again on {day}; the record is {ticket}.',
    'It happened {number} times between {time} and noon.',
    'Seen on version {version}, not on the one before.',
  ],
}

const announcement: Kind = {
  weight: 16,
  resolves: 0.06,
  titles: [
    'The {topic} changes on {day}',
    'New: a better {topic}',
    'Thank you for the help with the {topic}',
    'The {topic} is back',
  ],
  openings: [
    'From next week the **{topic}** works a little differently. Nobody has to do anything; what you know stays where it is, and the old way keeps working for a month.',
    'After a good deal of work, the {topic} is done. It is smaller than we planned, and better for it. A big thank-you to everyone who read drafts, asked hard questions and tried it early.',
    'The {topic} was away for two days while we moved it. It is back now, nothing was lost, and it answers about twice as fast as before.',
  ],
  details: [
    '## What is different\n\n- one place instead of three\n- shorter words, no abbreviations\n- it can be used with the keyboard alone',
    'There is [a page with pictures](https://handbook.example.com/news) for those who want to see it first.',
    '- [x] tell the support team\n- [x] write the help page\n- [ ] ask again in a month',
  ],
  closings: [
    'Questions are welcome here, or at the open hour on {day} at {time}.',
    'So far {number} of you have tried it.',
    'The change comes with version {version}.',
  ],
}

const decision: Kind = {
  weight: 14,
  resolves: 0.34,
  titles: [
    'Proposal: one owner for the {topic}',
    'Decision needed on the {topic} by {day}',
    'Shall we keep the {topic}?',
  ],
  openings: [
    'We have talked about the {topic} in three meetings and decided nothing. Here is a **proposal**; if nobody objects by the end of the week, it holds for half a year, and then we look at it again.',
    'The {topic} costs us about two days a month. I see three ways forward, and would like us to choose one *in writing*, so that those who join later can read why.',
  ],
  details: [
    '| Way | Cost | Risk |\n| --- | --- | --- |\n| leave it | two days a month | grows |\n| repair it | three weeks | small |\n| replace it | two months | **large** |',
    '**For:** it is simple, we can undo it, and it needs no new tool.\n\n**Against:** one more thing that only one person knows.',
    '1. We name one owner.\n2. The owner may say no.\n3. Everyone else may ask once a quarter.',
    '```json\n{ "owner": "to be named", "review": "every six months" }\n```',
  ],
  closings: [
    'Please say yes or no by {day}. The draft is {ticket}.',
    'With {number} people it was clear in ten minutes; let us see whether it is here.',
  ],
}

const notes: Kind = {
  weight: 14,
  resolves: 0.1,
  titles: ['Notes: {topic}, {day}', 'What we learned from the {topic}', 'Weekly notes on the {topic}'],
  openings: [
    'Notes from our talk about the {topic}. We were five, it took half an hour, and we ended early. What follows is what we agreed on, not everything that was said.',
    '# Looking back\n\nThe {topic} took longer than planned, mostly because we waited for answers. The work itself was the quick part.',
  ],
  details: [
    '**Agreed**\n\n- keep the scope as it is\n- show something small every week\n- write down what we decide not to do',
    '- went well: the early test with real people\n- went badly: two surprises on the last day\n- next time: ask the support team *first*',
    '> It is easier to explain a thing that does less.\n\nWe will print that and put it on the wall.',
  ],
  closings: [
    'Next meeting: {day} at {time}, same room.',
    'There are {number} open points; the list is under {ticket}.',
  ],
}

const guide: Kind = {
  weight: 8,
  resolves: 0.08,
  areas: ['build', 'product', 'people', 'money'],
  titles: ['How to: the {topic} in five minutes', 'A short guide to the {topic}'],
  openings: [
    'Several people asked how the {topic} works, so here is the short version. It leaves out the rare cases on purpose; they are in the long one.',
    'This is what I wish someone had told me about the **{topic}** in my first week.',
  ],
  details: [
    '## Steps\n\n1. Make a copy of the template.\n2. Fill in the first two sections; the third is optional.\n3. Ask one person who was *not* involved to read it.\n4. Publish it and link it here.',
    '```sh\nexport PARLEY_URL=https://parley.example.com\ncurl "$PARLEY_URL/v2/posts?limit=1" -H "Authorization: Bearer $TOKEN"\n```\n\nThe answer has `total_count`, which is the number to compare.',
  ],
  closings: ['Checked against version {version}.', 'Corrections go to {ticket}, thank you.'],
}

const short: Kind = {
  weight: 5,
  resolves: 0.3,
  titles: ['{topic}, {day}', 'Help with the {topic}?', 'The {topic} once more'],
  openings: [
    'Does anyone have half an hour for the {topic} today?',
    'The {topic} is mine this week. Tell me if you need it.',
    'Small thing: the {topic} has a typing error in the second line.',
  ],
  details: [],
  closings: ['Around {time} would be best.', 'It is {ticket}.'],
}

export const kinds: readonly Kind[] = [question, problem, announcement, decision, notes, guide, short]

/** Posts of apps. */
export const reports: Kind = {
  weight: 1,
  resolves: 0.12,
  titles: ['Release {version} is out', 'Nightly run: {number} checks passed', 'Reminder: {topic}, {day}'],
  openings: [
    '**Done.** The {topic} was built, checked and put in place without a stop.',
    'The nightly run over the {topic} has ended. Nothing needs to be done.',
    'This is the weekly reminder about the {topic}. Comment here if it can go.',
  ],
  details: [
    '| Step | Result | Time |\n| --- | --- | ---: |\n| types | passed | 4 s |\n| tests | passed | 61 s |\n| pages | passed | 12 s |',
    '```\nchecked  412\nchanged    3\nfailed     0\n```',
    '- faster lists\n- clearer messages when a file is too large\n- fewer clicks on the way to the {topic}',
  ],
  closings: ['Started at {time}, run {number}.', 'Version {version}, record {ticket}.'],
}
