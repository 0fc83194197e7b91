import { expect } from 'bun:test'
import { mailWorld, tokenIn } from '../mail/world'
import { choosePassword } from '../session/browser'
import { world } from '../world'
import { openPage, test, waitForHidden, waitForValue, waitForVisible } from './browser'

test('someone who forgot their password gets back in, and changes their e-mail address', async () => {
  await using cast = await mailWorld()
  await choosePassword(cast, cast.ada, 'an old password')
  const page = await openPage(cast, undefined, '/sign-in')
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await page.getByRole('dialog').getByLabel('E-mail').fill('ada@example.com')
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await waitForVisible(page.getByText('If ada@example.com belongs to an account here'))
  await cast.deliver()
  await page.goto(`${cast.baseUrl}/reset-password#token=${tokenIn(cast.mailbox.mails[0]!.text)}`)
  await waitForVisible(page.getByText('For ada@example.com'))
  await waitForValue(() => page.url().includes('token'), false)
  await page.getByLabel('New password').fill('a new password')
  await page.getByLabel('Confirm password').fill('a new passwort')
  await page.getByRole('button', { name: 'Change password' }).click()
  await waitForVisible(page.getByText('The passwords do not match.'))
  await page.getByLabel('Confirm password').fill('a new password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Password').fill('a new password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')

  await page.goto(`${cast.baseUrl}/settings/profile`)
  await page.getByLabel('E-mail').fill('countess@example.com')
  await page.getByLabel('Current password').fill('a new password')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await waitForVisible(page.getByRole('button', { name: 'Cancel change' }))
  cast.mailbox.mails.length = 0
  await cast.deliver()
  expect(cast.mailbox.to('ada@example.com')[0]!.headers.get('subject')).toBe('Your e-mail address is being changed')
  const [confirmation] = cast.mailbox.to('countess@example.com')
  await page.goto(`${cast.baseUrl}/confirm-email#token=${tokenIn(confirmation!.text)}`)
  await page.getByRole('button', { name: 'Confirm e-mail address' }).click()
  await waitForVisible(page.getByRole('heading', { name: 'E-mail address changed' }))
  await page.goto(`${cast.baseUrl}/settings/profile`)
  await waitForValue(() => page.getByLabel('E-mail').inputValue(), 'countess@example.com')
  await page.goto(`${cast.baseUrl}/confirm-email#token=${tokenIn(confirmation!.text)}`)
  await waitForVisible(page.getByRole('heading', { name: 'This link is no longer valid' }))
  // Before its server stops, which it would report.
  await page.context().close()
})

test('a setting stays as it was chosen while an older response arrives', async () => {
  const cast = await world()
  const page = await openPage(cast, cast.ada, '/settings/notifications')
  const sooner = page.getByLabel('Mentions and messages sooner')
  const quiet = page.getByLabel('Hold back notifications and e-mails every day')
  await page.getByLabel('Once a day').check()
  await sooner.waitFor()
  // The settings as they were before the second change arrive after it was made, and before it is confirmed.
  const isRead = Promise.withResolvers<void>()
  const isSent = Promise.withResolvers<void>()
  const isReleased = Promise.withResolvers<void>()
  await page.route('**/v2/me/notification-settings', async (route) => {
    if (route.request().method() === 'GET') {
      const response = await route.fetch()
      isRead.resolve()
      await isSent.promise
      return route.fulfill({ response })
    }
    if (!route.request().postData()?.includes('quiet_hours')) return route.continue()
    isSent.resolve()
    await isReleased.promise
    return route.continue()
  })
  await sooner.uncheck()
  await isRead.promise
  const answered = page.waitForResponse((response) => response.request().method() === 'GET')
  await quiet.check()
  await answered
  await page.waitForTimeout(200)
  expect(await quiet.isChecked()).toBe(true)
  isReleased.resolve()
  await waitForValue(async () => (await cast.ada.me.getNotificationSettings()).quiet_hours?.from, '22:00')
  expect(await quiet.isChecked()).toBe(true)
})

test('a member chooses when and how they are notified', async () => {
  const cast = await world()
  const page = await openPage(cast, cast.ada, '/settings/notifications')
  await waitForVisible(page.getByLabel('Show notifications on this device'))
  await page.getByLabel('Once a day').check()
  await page.getByLabel('Send at').selectOption('7')
  await page.getByLabel('Mentions and messages sooner').uncheck()
  await page.getByLabel('Hold back notifications and e-mails every day').check()
  await page.getByLabel('From').fill('21:30')
  await page.getByRole('button', { name: 'For 1 hour' }).click()
  await waitForVisible(page.getByText('Notifications are paused until'))
  // Each change is a request of its own.
  await waitForValue(async () => {
    const { mail_hour, mentions_and_messages_sooner, quiet_hours, paused_until } =
      await cast.ada.me.getNotificationSettings()
    return [mail_hour, mentions_and_messages_sooner, quiet_hours?.from, paused_until !== null]
  }, [7, false, '21:30', true])
  expect(await cast.ada.me.getNotificationSettings()).toMatchObject({
    mail: 'daily',
    mail_hour: 7,
    mentions_and_messages_sooner: false,
    quiet_hours: { from: '21:30', to: '07:00' },
    paused_until: expect.any(String),
    time_zone: 'UTC',
  })
  await page.getByRole('button', { name: 'Resume now' }).click()
  await waitForHidden(page.getByText('Notifications are paused until'))
})
