/** The subject of a channel, which determines its posts. */
export type Area = 'build' | 'product' | 'customers' | 'money' | 'people' | 'talk'

export interface PlaceName {
  name: string
  area: Area
  isPrivate: boolean
}

const named = (area: Area, names: string): PlaceName[] =>
  names.split(' ').map((name) => ({ area, name: name.replace('!', ''), isPrivate: name.endsWith('!') }))

/** In the order of creation; an exclamation mark makes a channel private. */
const byArea = [
  named('talk', 'general announcements questions random wins book-club lunch-table photos'),
  named(
    'build',
    'engineering releases incidents infrastructure frontend backend mobile security! data quality tooling',
  ),
  named('product', 'product design research roadmap ideas accessibility translations experiments docs'),
  named('customers', 'support customers sales marketing partners events feedback press renewals!'),
  named('people', 'people hiring! onboarding offices travel learning leadership! wellbeing'),
  named('money', 'finance! budget! purchasing legal! contracts!'),
]

const REGIONS = ['north', 'south', 'east', 'west', 'harbour', 'hill', 'river', 'lake', 'forest', 'coast']

/** An endless sequence of names: first the plain ones, alternating between areas, then those of the offices. */
export function* placeNames(): Generator<PlaceName> {
  const maxLength = Math.max(...byArea.map((names) => names.length))
  const plain = Array.from({ length: maxLength }, (_, at) => byArea.flatMap((names) => names[at] ?? [])).flat()
  yield* plain
  for (let round = 1; ; round++)
    for (const region of REGIONS)
      for (const place of plain) yield { ...place, name: `${place.name}-${region}${round > 1 ? `-${round}` : ''}` }
}

/** What the channels of an area are about. */
export const descriptions: Record<Area, string> = {
  build: 'How we build and run it: plans, releases, trouble and what we learned from it.',
  product: 'What we make next and why, from first ideas to finished screens.',
  customers: 'What customers say and need, and who is looking after it.',
  money: 'Budgets, contracts and invoices.',
  people: 'Working here: new colleagues, offices, travel and learning.',
  talk: 'For everyone. News, questions and everything that has no other place.',
}

/** The topics of an area; each fits after “the”. */
export const topics: Record<Area, readonly string[]> = {
  build: [
    ...['search index', 'login screen', 'image upload', 'payment retry', 'staging cluster', 'nightly backup'],
    ...['webhook queue', 'session store', 'feature flag service', 'rate limiter', 'release pipeline', 'audit log'],
  ],
  product: [
    ...['onboarding tour', 'settings page', 'design system', 'empty state', 'mobile menu', 'notification digest'],
    ...['colour palette', 'first-run survey', 'keyboard navigation', 'sharing dialog', 'pricing page', 'help centre'],
  ],
  customers: [
    ...['support inbox', 'partner portal', 'customer survey', 'spring webinar', 'status page', 'renewal reminder'],
    ...['case study', 'trade fair stand', 'trial e-mail', 'reference call', 'press kit', 'feedback form'],
  ],
  money: [
    ...['invoice export', 'travel budget', 'expense report', 'supplier contract', 'quarterly forecast', 'tax filing'],
    ...['purchase approval', 'hosting bill', 'insurance renewal', 'office lease'],
  ],
  people: [
    ...['team handbook', 'holiday calendar', 'mentoring programme', 'office move', 'travel policy', 'interview guide'],
    ...['first-week checklist', 'language course', 'desk booking', 'summer gathering'],
  ],
  talk: [
    ...['all-hands meeting', 'reading list', 'lunch menu', 'running group', 'photo wall', 'company newsletter'],
    ...['quiz evening', 'coffee machine', 'plant rota', 'song list'],
  ],
}

export const appNames = ['Build', 'Deploys', 'Monitoring', 'Stand-up', 'Calendar', 'Surveys', 'Backups', 'Importer']

export const jobTitles = [
  ...['Product designer', 'Software engineer', 'Engineering manager', 'Support specialist', 'Product manager'],
  ...['Data analyst', 'Account manager', 'Technical writer', 'Office manager', 'Finance lead', 'Researcher'],
]

export const timeZones = [
  ...['Europe/London', 'Europe/Berlin', 'Europe/Helsinki', 'America/New_York', 'America/Los_Angeles'],
  ...['America/Sao_Paulo', 'Asia/Kolkata', 'Asia/Tokyo', 'Australia/Sydney', 'Africa/Nairobi'],
]
