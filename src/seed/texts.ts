import { toHtml } from '../domain/markdown'
import type { Text } from '../store/seed'
import type { Random } from './random'

export const list = (text: string): string[] => text.split('|')

/** The subject of a channel, which determines its posts. */
export type Area = keyof typeof areas

const newArea = (channels: string, description: string, topics: string) => ({
  channels: channels.split(' '),
  description,
  topics: list(topics),
})

/** Channels in the order of creation, an exclamation mark makes one private; what they are for; topics, each fits after “the”. */
export const areas = {
  talk: newArea(
    'general announcements questions random wins book-club lunch-table photos',
    'For everyone. News, questions and everything that has no other place.',
    'all-hands meeting|reading list|lunch menu|running group|photo wall|company newsletter|quiz evening|coffee machine|plant rota|song list',
  ),
  build: newArea(
    'engineering releases incidents infrastructure frontend backend mobile security! data quality tooling',
    'How we build and run it: plans, releases, trouble and what we learned from it.',
    'search index|login screen|image upload|payment retry|staging cluster|nightly backup|webhook queue|session store|feature flag service|rate limiter|release pipeline|audit log',
  ),
  product: newArea(
    'product design research roadmap ideas accessibility translations experiments docs',
    'What we make next and why, from first ideas to finished screens.',
    'onboarding tour|settings page|design system|empty state|mobile menu|notification digest|colour palette|first-run survey|keyboard navigation|sharing dialog|pricing page|help centre',
  ),
  customers: newArea(
    'support customers sales marketing partners events feedback press renewals!',
    'What customers say and need, and who is looking after it.',
    'support inbox|partner portal|customer survey|spring webinar|status page|renewal reminder|case study|trade fair stand|trial e-mail|reference call|press kit|feedback form',
  ),
  people: newArea(
    'people hiring! onboarding offices travel learning leadership! wellbeing',
    'Working here: new colleagues, offices, travel and learning.',
    'team handbook|holiday calendar|mentoring programme|office move|travel policy|interview guide|first-week checklist|language course|desk booking|summer gathering',
  ),
  money: newArea(
    'finance! budget! purchasing legal! contracts!',
    'Budgets, contracts and invoices.',
    'invoice export|travel budget|expense report|supplier contract|quarterly forecast|tax filing|purchase approval|hosting bill|insurance renewal|office lease',
  ),
}

/**
 * A kind of post, in parts that go together. `{topic}` is what the post is about. Titles and closings also take
 * `{day}`, `{time}`, `{number}`, `{version}` and `{ticket}`, differ from post to post, and hold no markup.
 */
export interface PostTemplate {
  weight: number
  /** How likely such a post is resolved. */
  resolves: number
  areas?: readonly Area[]
  titles: readonly string[]
  openings: readonly string[]
  details: readonly string[]
  closings: readonly string[]
}

const questions: PostTemplate = {
  weight: 26,
  resolves: 0.62,
  titles: list('Who looks after the {topic} now?|How do we test the {topic}?|Can the {topic} change before {day}?'),
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
  closings: list(
    'An answer by {day} is enough.|My note on it is {ticket}.|About {number} people are waiting for this.',
  ),
}

const problems: PostTemplate = {
  weight: 18,
  resolves: 0.6,
  areas: ['build', 'product', 'customers'],
  titles: list('The {topic} fails for large accounts|Slow {topic} since {day}|{ticket}: wrong time in the {topic}'),
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
  closings: list('See {ticket}; I will look again on {day}.|{number} times since {time}.|Seen on version {version}.'),
}

const announcements: PostTemplate = {
  weight: 16,
  resolves: 0.06,
  titles: list('The {topic} changes on {day}|New: a better {topic}|Thank you for the {topic}|The {topic} is back'),
  openings: [
    'From next week the **{topic}** works a little differently. Nobody has to do anything; what you know stays where it is, and the old way keeps working for a month.',
    'After a good deal of work, the {topic} is done. It is smaller than we planned, and better for it. A big thank-you to everyone who read drafts, asked hard questions and tried it early.',
    'The {topic} was away for two days while we moved it. It is back now, nothing was lost, and it answers about twice as fast as before.',
  ],
  details: [
    '## What is different\n\n- one place instead of three\n- shorter words, no abbreviations\n- it can be used with the keyboard alone',
    'There is [a page with pictures](https://handbook.example.com/news) if you want to see it first.',
    '- [x] tell the support team\n- [x] write the help page\n- [ ] ask again in a month',
  ],
  closings: list('Questions? Here, or on {day} at {time}.|So far {number} of you have tried it.|It is in {version}.'),
}

const decisions: PostTemplate = {
  weight: 14,
  resolves: 0.34,
  titles: list('Proposal: one owner for the {topic}|Decision on the {topic} by {day}|Shall we keep the {topic}?'),
  openings: [
    'We have talked about the {topic} in three meetings and decided nothing. Here is a **proposal**; if nobody objects by the end of the week, it holds for half a year, and then we look at it again.',
    'The {topic} costs us about two days a month. I see three ways forward, and would like us to choose one *in writing*, so that new colleagues can read why.',
  ],
  details: [
    '| Way | Cost | Risk |\n| --- | --- | --- |\n| leave it | two days a month | grows |\n| repair it | three weeks | small |\n| replace it | two months | **large** |',
    '**For:** it is simple, we can undo it, and it needs no new tool.\n\n**Against:** one more thing that only one person knows.',
    '1. We name one owner.\n2. The owner may say no.\n3. Everyone else may ask once a quarter.',
    '```json\n{ "owner": "to be named", "review": "every six months" }\n```',
  ],
  closings: list('Please say yes or no by {day}. The draft is {ticket}.|So far {number} people have read it.'),
}

const notes: PostTemplate = {
  weight: 14,
  resolves: 0.1,
  titles: list('Notes: {topic}, {day}|What we learned from the {topic}|Weekly notes on the {topic}'),
  openings: [
    'Notes from our talk about the {topic}. We were five, it took half an hour, and we ended early. What follows is what we agreed on, not everything that was said.',
    '# Looking back\n\nThe {topic} took longer than planned, mostly because we waited for answers. The work itself was the quick part.',
  ],
  details: [
    '**Agreed**\n\n- keep the scope as it is\n- show something small every week\n- write down what we decide not to do',
    '- went well: the early test with real people\n- went badly: two surprises on the last day\n- next time: ask the support team *first*',
    '> It is easier to explain a thing that does less.\n\nWe will print that and put it on the wall.',
  ],
  closings: list('Next meeting: {day} at {time}, same room.|There are {number} open points under {ticket}.'),
}

const guides: PostTemplate = {
  weight: 8,
  resolves: 0.08,
  areas: ['build', 'product', 'people', 'money'],
  titles: list('How to: the {topic} in five minutes|A short guide to the {topic}'),
  openings: [
    'Several people asked how the {topic} works, so here is the short version. It leaves out the rare cases on purpose; they are in the long one.',
    'This is what I wish someone had told me about the **{topic}** in my first week.',
  ],
  details: [
    '## Steps\n\n1. Make a copy of the template.\n2. Fill in the first two sections; the third is optional.\n3. Ask one person who was *not* involved to read it.\n4. Publish it and link it here.',
    '```sh\nexport PARLEY_URL=https://parley.example.com\ncurl "$PARLEY_URL/v2/posts?limit=1" -H "Authorization: Bearer $TOKEN"\n```\n\nThe answer has `total_count`, which is the number to compare.',
  ],
  closings: list('Checked against version {version}.|Corrections go to {ticket}, thank you.'),
}

const shortPosts: PostTemplate = {
  weight: 5,
  resolves: 0.3,
  titles: list('{topic}, {day}|Help with the {topic}?|The {topic} once more'),
  openings: list(
    'Does anyone have half an hour for the {topic}?|The {topic} is mine this week, tell me if you need it.',
  ),
  details: [],
  closings: list('Around {time} would be best.|It is {ticket}.'),
}

export const postTemplates: readonly PostTemplate[] = [
  questions,
  problems,
  announcements,
  decisions,
  notes,
  guides,
  shortPosts,
]

/** Posts of apps. */
export const reports: PostTemplate = {
  weight: 1,
  resolves: 0.12,
  titles: list('Release {version} is out|Nightly run: {number} checks passed|Reminder: {topic}, {day}'),
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
  closings: list('Started at {time}, run {number}.|Version {version}, record {ticket}.'),
}

/** Rendering costs more than everything else about a post, so each distinct piece is rendered once. */
const rendered = new Map<string, Map<string, Text>>()

export function renderText(template: string, topic: string): Text {
  const byTopic = rendered.getOrInsertComputed(template, () => new Map())
  return byTopic.getOrInsertComputed(topic, () => {
    const markdown = template.replaceAll('{topic}', topic)
    return { markdown, html: toHtml(markdown) }
  })
}

/** The text of a post. Its pieces are separate blocks, so their HTML can be joined, too. */
export function newBody(random: Random, kind: PostTemplate, topic: string): Text {
  const pieces = [renderText(random.pick(kind.openings), topic)]
  if (kind.details.length > 0 && random.chance(0.95)) pieces.push(renderText(random.pick(kind.details), topic))
  if (random.chance(0.9)) {
    // Letters, digits and full stops, which need no escaping in Markdown or HTML.
    const plain = fillTemplate(random, random.pick(kind.closings), topic)
    pieces.push({ markdown: plain, html: `<p>${plain}</p>` })
  }
  return {
    markdown: pieces.map(({ markdown }) => markdown).join('\n\n'),
    html: pieces.map(({ html }) => html).join('\n'),
  }
}

/** Replaces the placeholders of a template. */
export const fillTemplate = (random: Random, template: string, topic: string): string =>
  template.replace(/\{(\w+)\}/g, (_, name: keyof typeof fillings) => fillings[name](random, topic))

const fillings = {
  topic: (_: Random, topic: string) => topic,
  day: (random: Random) => random.pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']),
  time: (random: Random) => `${random.between(8, 17)}:${random.pick(['00', '15', '30', '45'])}`,
  number: (random: Random) => String(random.between(3, 900)),
  version: (random: Random) => `${random.between(1, 6)}.${random.between(0, 30)}.${random.between(0, 9)}`,
  ticket: (random: Random) => `${random.pick(['OPS', 'WEB', 'TEAM', 'DOC'])}-${random.between(100, 9999)}`,
}
