import { fold } from '../contract/fold'
import type { Random } from './random'

/**
 * Given and family names that go together. Where a name is written in another script, what follows the bar is
 * how it goes into an e-mail address; where the family name comes first, the culture says so.
 */
const cultures: readonly { given: string; family: string; familyFirst?: boolean }[] = [
  {
    given: 'Amelia Beatrix Callum Edith Frances Gareth Imogen Nigel Rowena Tobias',
    family: 'Ashdown Birkett Coverdale Fenwick Hollins Larkham Pemberton Thackray Wexcombe',
  },
  {
    given: 'Anneliese Bärbel Florian Jörg Käthe Lukas Mareike Sönke Ulrike Wiebke',
    family: 'Brückner Dörfler Eichstädt Grünwald Hößler Kleinschmidt Röttger Süßmann Vößing',
  },
  {
    given: 'Adèle Benoît Clémence Étienne Gaëlle Hélène Loïc Maëlys Océane Rémi',
    family: 'Archambault Beaulieu Château Desrosiers Giraudet Lefèvre Montclair Thévenot Vasseur',
  },
  {
    given: 'Álvaro Begoña Consuelo Íñigo Joaquín Lucía Marisol Nieves Raúl Ximena',
    family: 'Aldecoa Belmonte Cárdenas Echeverría Ibáñez Lozano Muñoz Peñalver Zúñiga',
  },
  {
    given: 'Bogdan Celina Dariusz Elżbieta Grażyna Łukasz Małgorzata Paweł Stanisław Żaneta',
    family: 'Błaszczyk Chmielecka Dąbek Gołąb Jabłoński Krzemień Świątek Wójtowicz Żurek',
  },
  {
    given: 'Åsa Bjørn Dagný Freyja Gunnar Ingeborg Jökull Linnéa Øystein Sæunn',
    family: 'Ærø Bergström Dahlgren Eyjólfsdóttir Hægstad Lindqvist Nygård Sørlie Þorvaldsson',
  },
  {
    given: 'Ayşe Barış Çiğdem Defne Emre Gülşen İlker Nazlı Ömer Şebnem',
    family: 'Aydoğan Büyükçelik Çakmak Demirtaş Gündoğdu Işıksal Öztopçu Şahinler Yıldırmaz',
  },
  {
    given: 'Ananya Bhaskar Devika Gautam Harini Jayesh Lakshmi Nikhil Pallavi Vikrant',
    family: 'Acharekar Bhattarai Chandrasekar Deshmukh Iyengar Kulkarni Nambiar Raghunath Venkatesan',
  },
  {
    given: 'Abena Chidi Efua Folake Kwabena Ngozi Obinna Sefako Temitope Zanele',
    family: 'Adeyinka Boateng Chukwuemeka Dlomo Gyasi Mokoena Nwachukwu Oyelaran Thabethe',
  },
  {
    given: 'An Bảo Cúc Dũng Hạnh Khánh Linh Ngọc Phương Tuấn',
    family: 'Bùi Đặng Đỗ Dương Hồ Lưu Phạm Trịnh Vũ',
    familyFirst: true,
  },
  {
    given: '愛子|aiko 健司|kenji 美咲|misaki 直樹|naoki 涼|ryo 咲良|sakura 拓也|takuya 結衣|yui',
    family: '藤原|fujiwara 橋本|hashimoto 石川|ishikawa 小林|kobayashi 森田|morita 西村|nishimura 渡辺|watanabe',
    familyFirst: true,
  },
  {
    given: 'Алина|alina Богдана|bohdana Дмитро|dmytro Катерина|kateryna Микола|mykola Оксана|oksana Тарас|taras',
    family:
      'Бондаренко|bondarenko Гриценко|hrytsenko Коваленко|kovalenko Лисенко|lysenko Мельник|melnyk Шевчук|shevchuk',
  },
  {
    given: 'أمينة|amina خالد|khaled ليلى|layla نادر|nader سمير|samir ياسمين|yasmin',
    family: 'الحداد|alhaddad الخطيب|alkhatib النجار|alnajjar حمدان|hamdan منصور|mansour',
  },
]

const parsed = cultures.map(({ given, family, familyFirst }) => ({
  given: given.split(' ').map(readName),
  family: family.split(' ').map(readName),
  familyFirst: familyFirst ?? false,
}))

function readName(text: string) {
  const [shown, latin] = text.split('|') as [string, string?]
  return { shown, latin: latin ?? fold(shown).replace(/[^a-z]/g, '') }
}

/** A name, and the e-mail address without its domain. Made up: given and family names put together by chance. */
export function newName(random: Random): { name: string; mailbox: string } {
  const { given, family, familyFirst } = random.pick(parsed)
  const first = random.pick(given)
  const last = random.pick(family)
  return {
    name: familyFirst ? `${last.shown} ${first.shown}` : `${first.shown} ${last.shown}`,
    mailbox: `${first.latin}.${last.latin}`,
  }
}
