import { fold } from '../contract/browser/fold'
import type { Role } from '../contract/members'
import { avatarOf } from '../domain/avatar'
import type { NewApp, NewPerson } from '../store/seed'
import { DAY, newRandom, type Random, SPAN } from './random'
import { list } from './texts'

/** Someone who can write. */
export interface SeededAuthor {
  key: number
  id: string
  name: string
  /** Null for an app. */
  role: Role | null
  joined_at: number
  isFounder: boolean
}

/**
 * Given and family names that go together. What follows the bar is how a name in another script goes into an e-mail
 * address. In some cultures the family name comes first.
 */
const cultures = [
  'Amelia Beatrix Callum Edith Frances Gareth Imogen Nigel Rowena Tobias / Ashdown Birkett Coverdale Fenwick Hollins Larkham Pemberton Thackray Wexcombe',
  'Anneliese Bärbel Florian Jörg Käthe Lukas Mareike Sönke Ulrike Wiebke / Brückner Dörfler Eichstädt Grünwald Hößler Kleinschmidt Röttger Süßmann Vößing',
  'Adèle Benoît Clémence Étienne Gaëlle Hélène Loïc Maëlys Océane Rémi / Archambault Beaulieu Château Desrosiers Giraudet Lefèvre Montclair Thévenot Vasseur',
  'Álvaro Begoña Consuelo Íñigo Joaquín Lucía Marisol Nieves Raúl Ximena / Aldecoa Belmonte Cárdenas Echeverría Ibáñez Lozano Muñoz Peñalver Zúñiga',
  'Bogdan Celina Dariusz Elżbieta Grażyna Łukasz Małgorzata Paweł Stanisław Żaneta / Błaszczyk Chmielecka Dąbek Gołąb Jabłoński Krzemień Świątek Wójtowicz Żurek',
  'Åsa Bjørn Dagný Freyja Gunnar Ingeborg Jökull Linnéa Øystein Sæunn / Ærø Bergström Dahlgren Eyjólfsdóttir Hægstad Lindqvist Nygård Sørlie Þorvaldsson',
  'Ayşe Barış Çiğdem Defne Emre Gülşen İlker Nazlı Ömer Şebnem / Aydoğan Büyükçelik Çakmak Demirtaş Gündoğdu Işıksal Öztopçu Şahinler Yıldırmaz',
  'Ananya Bhaskar Devika Gautam Harini Jayesh Lakshmi Nikhil Pallavi Vikrant / Acharekar Bhattarai Chandrasekar Deshmukh Iyengar Kulkarni Nambiar Raghunath Venkatesan',
  'Abena Chidi Efua Folake Kwabena Ngozi Obinna Sefako Temitope Zanele / Adeyinka Boateng Chukwuemeka Dlomo Gyasi Mokoena Nwachukwu Oyelaran Thabethe',
  'An Bảo Cúc Dũng Hạnh Khánh Linh Ngọc Phương Tuấn / Bùi Đặng Đỗ Dương Hồ Lưu Phạm Trịnh Vũ / family first',
  '愛子|aiko 健司|kenji 美咲|misaki 直樹|naoki 涼|ryo 咲良|sakura 拓也|takuya 結衣|yui / 藤原|fujiwara 橋本|hashimoto 石川|ishikawa 小林|kobayashi 森田|morita 西村|nishimura 渡辺|watanabe / family first',
  'Алина|alina Богдана|bohdana Дмитро|dmytro Катерина|kateryna Микола|mykola Оксана|oksana Тарас|taras / Бондаренко|bondarenko Гриценко|hrytsenko Коваленко|kovalenko Лисенко|lysenko Мельник|melnyk Шевчук|shevchuk',
  'أمينة|amina خالد|khaled ليلى|layla نادر|nader سمير|samir ياسمين|yasmin / الحداد|alhaddad الخطيب|alkhatib النجار|alnajjar حمدان|hamdan منصور|mansour',
].map((text) => {
  const [given, family, order] = text.split(' / ') as [string, string, string?]
  return { given: given.split(' ').map(readName), family: family.split(' ').map(readName), familyFirst: !!order }
})

function readName(text: string) {
  const [shown, latin] = text.split('|') as [string, string?]
  return { shown, latin: latin ?? fold(shown).replace(/[^a-z]/g, '') }
}

const appNames = list('Build|Deploys|Monitoring|Stand-up|Calendar|Surveys|Backups|Importer')
const jobTitles = [
  ...list('Product designer|Software engineer|Engineering manager|Support specialist|Product manager|Data analyst'),
  ...list('Account manager|Technical writer|Office manager|Finance lead|Researcher'),
]
const timeZones = [
  ...list('Europe/London|Europe/Berlin|Europe/Helsinki|America/New_York|America/Los_Angeles|America/Sao_Paulo'),
  ...list('Asia/Kolkata|Asia/Tokyo|Australia/Sydney|Africa/Nairobi'),
]

/** The roles of a hundred members. */
const ROLES: readonly Role[] = [
  ...[...Array(5).fill('admin'), ...Array(78).fill('member'), ...Array(8).fill('viewer'), ...Array(9).fill('guest')],
]
/** The first members, so that even a small team has all roles. */
const FOUNDERS: readonly Role[] = ['admin', 'member', 'guest', 'viewer', 'member', 'member']

/** Members in the order they joined: some before the first post, the others over the two years. */
export function newPeople(random: Random, count: number, until: number, isTaken: (email: string) => boolean) {
  const taken = new Set<string>()
  const start = until - SPAN
  const timeBetween = (from: number, to: number) => Math.floor(from + random.fraction() * (to - from))
  return Array.from({ length: count }, (_, at): NewPerson => {
    const { name, mailbox } = newName(random)
    const email = firstFree(
      (number) => `${mailbox}${number > 1 ? number : ''}@example.com`,
      (candidate) => taken.has(candidate) || isTaken(candidate),
    )
    taken.add(email)
    const joined = Math.max(0, at / count - 0.4) / 0.6
    const created_at = Math.floor(start - 30 * DAY + (at / count) * 20 * DAY + joined * SPAN * 0.9)
    const id = random.id('mem', created_at)
    const person = newRandom(email)
    const is_deactivated = at === 6 || (at > 6 && random.chance(0.05))
    return {
      ...{ id, name, avatar: avatarOf(id, name), email, created_at, is_deactivated },
      // An address has one account in all workspaces. The id that each workspace shows is its own.
      account_id: person.id('user', start),
      user_id: newRandom(id).id('user', created_at),
      role: FOUNDERS[at] ?? random.pick(ROLES),
      job_title: person.chance(0.8) ? person.pick(jobTitles) : null,
      time_zone: person.chance(0.8) ? person.pick(timeZones) : null,
      last_seen_at: is_deactivated ? timeBetween(created_at, until) : timeBetween(until - 14 * DAY, until),
    }
  })
}

/** A name, and the e-mail address without its domain. Made up: given and family names put together by chance. */
function newName(random: Random): { name: string; mailbox: string } {
  const { given, family, familyFirst } = random.pick(cultures)
  const [first, last] = [random.pick(given), random.pick(family)]
  return {
    name: familyFirst ? `${last.shown} ${first.shown}` : `${first.shown} ${last.shown}`,
    mailbox: `${first.latin}.${last.latin}`,
  }
}

function firstFree(candidateOf: (number: number) => string, isTaken: (candidate: string) => boolean): string {
  for (let number = 1; ; number++) if (!isTaken(candidateOf(number))) return candidateOf(number)
}

/** A few apps that write posts. */
export const newApps = (random: Random, count: number, until: number, isTaken: (name: string) => boolean): NewApp[] =>
  appNames.slice(0, count).map((usual) => {
    const name = firstFree((number) => (number > 1 ? `${usual} ${number}` : usual), isTaken)
    const created_at = until - SPAN - 8 * DAY
    const id = random.id('app', created_at)
    return { id, name, avatar: avatarOf(id, name), created_at }
  })
