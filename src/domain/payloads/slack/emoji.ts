/** The codes that systems use when they report something. Others are shown as they were written. */
const CODES = `warning ⚠️ white_check_mark ✅ heavy_check_mark ✔️ ballot_box_with_check ☑️ x ❌ negative_squared_cross_mark ❎
no_entry ⛔ no_entry_sign 🚫 exclamation ❗ heavy_exclamation_mark ❗ bangbang ‼️ question ❓ grey_question ❔ information_source ℹ️
red_circle 🔴 large_orange_circle 🟠 large_yellow_circle 🟡 large_green_circle 🟢 large_blue_circle 🔵 large_purple_circle 🟣
white_circle ⚪ black_circle ⚫ large_red_square 🟥 large_orange_square 🟧 large_yellow_square 🟨 large_green_square 🟩
large_blue_square 🟦 rotating_light 🚨 fire 🔥 boom 💥 collision 💥 bomb 💣 zap ⚡ skull 💀 ghost 👻 bug 🐛 beetle 🪲 ambulance 🚑
construction 🚧 hammer 🔨 wrench 🔧 hammer_and_wrench 🛠️ gear ⚙️ rocket 🚀 package 📦 truck 🚚 tada 🎉 confetti_ball 🎊 sparkles ✨
star ⭐ star2 🌟 trophy 🏆 medal 🏅 eyes 👀 mag 🔍 mag_right 🔎 bell 🔔 no_bell 🔕 mega 📣 loudspeaker 📢 speech_balloon 💬
memo 📝 pencil ✏️ pencil2 ✏️ clipboard 📋 link 🔗 lock 🔒 unlock 🔓 key 🔑 shield 🛡️ hourglass ⌛ hourglass_flowing_sand ⏳
stopwatch ⏱️ alarm_clock ⏰ clock1 🕐 calendar 📅 date 📅 chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 bar_chart 📊
arrow_up ⬆️ arrow_down ⬇️ arrow_right ➡️ arrow_left ⬅️ arrows_counterclockwise 🔄 recycle ♻️ heavy_plus_sign ➕ heavy_minus_sign ➖
+1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 ok_hand 👌 wave 👋 clap 👏 raised_hands 🙌 pray 🙏 muscle 💪 point_right 👉 heart ❤️
green_heart 💚 broken_heart 💔 100 💯 smile 😄 grinning 😀 joy 😂 slightly_smiling_face 🙂 thinking_face 🤔 cry 😢 sob 😭
scream 😱 rage 😡 dizzy_face 😵 robot_face 🤖 computer 💻 desktop_computer 🖥️ phone ☎️ email 📧 inbox_tray 📥 outbox_tray 📤
house 🏠 office 🏢 cloud ☁️ sunny ☀️ umbrella ☔ snowflake ❄️ checkered_flag 🏁 triangular_flag_on_post 🚩 label 🏷️ bulb 💡
battery 🔋 electric_plug 🔌 satellite 📡 floppy_disk 💾 cd 💿 bookmark 🔖 new 🆕 up 🆙 ok 🆗 sos 🆘 snail 🐌 turtle 🐢 whale 🐳`

const words = CODES.split(/\s+/)
const emoji = new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]!] as const] : [])))

/** The character for a code such as `tada`; undefined if it is none of the usual ones. */
export const emojiNamed = (code: string): string | undefined => emoji.get(code.toLowerCase())

/** A text with its `:codes:` as characters. */
export const withEmoji = (text: string): string =>
  text.replace(/:([a-z0-9_+-]{1,50}):/gi, (written, code) => emojiNamed(code) ?? written)
