import { isMet, type Result } from './results'

const WIDTH = 720
const LEFT = 20
const BARS = 600
const TOP = 56
const ROW = 46
const MOST = 2
const GOAL = LEFT + BARS / MOST

/** What share of its goal each figure reaches, as bars, each with a mark at the goal. */
export function chart(all: readonly Result[]): string {
  const rows = worstOfGroups(all.filter(({ goal }) => goal))
  const height = TOP + rows.length * ROW + 12
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<style>
  svg { font: 13px system-ui, sans-serif; --page: #fbfaf8; --ink: #1f2421; --line: #5d625d; --met: #17713a; --missed: #b3261e }
  @media (prefers-color-scheme: dark) {
    svg { --page: #171a18; --ink: #e8eae6; --line: #9aa09a; --met: #4fb477; --missed: #f2756b }
  }
  text { fill: var(--ink) } .met { fill: var(--met) } .missed { fill: var(--missed) }
  line { stroke: var(--line); stroke-width: 2 }
</style>
<rect width="100%" height="100%" rx="8" fill="var(--page)"/>
<text x="${GOAL}" y="24" text-anchor="middle">the goal</text>
${rows.map((result, at) => bar(result, TOP + at * ROW)).join('\n')}
</svg>
`
}

/** The question above its bar, the share at its right. A bar that would not fit ends at the edge. */
function bar(result: Result, y: number): string {
  const share = shareOf(result)
  const length = (Math.min(share, MOST) / MOST) * BARS
  const colour = isMet(result) ? 'met' : 'missed'
  return `<text x="${LEFT}" y="${y}">${escaped(nameOf(result))}</text>
<rect class="${colour}" x="${LEFT}" y="${y + 7}" width="${length.toFixed(1)}" height="14" rx="3"/>
<line x1="${GOAL}" x2="${GOAL}" y1="${y + 4}" y2="${y + 24}"/>
<text x="${WIDTH - LEFT}" y="${y + 19}" text-anchor="end">${share.toFixed(2)} ×</text>`
}

const shareOf = ({ goal, value }: Result) => (goal!.at === 'least' ? value / goal!.value : goal!.value / value)
const nameOf = ({ group, question }: Result) => (group ? `${group}, worst list` : question)

function worstOfGroups(all: readonly Result[]): Result[] {
  const isWorst = (result: Result) =>
    all.every((other) => other === result || other.group !== result.group || shareOf(other) >= shareOf(result))
  return all.filter((result) => result.group === undefined || isWorst(result))
}

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
