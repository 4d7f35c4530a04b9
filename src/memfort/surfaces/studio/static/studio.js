// Studio works without this file. It adds keys, the theme switch, and what saves a click. Pages stay in the address.
"use strict";
(() => {
  const $ = (query, element = document) => element.querySelector(query);
  const $$ = (query, element = document) => [...element.querySelectorAll(query)];
  const stored = {
    get(name) { try { return localStorage.getItem(`memfort.${name}`); } catch { return null; } },
    set(name, value) { try { localStorage.setItem(`memfort.${name}`, value); } catch { /* storage is off */ } },
  };

  // Theme: the system's, unless somebody chose.
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const showTheme = () => $$("[data-do=theme]").forEach((button) => { button.textContent = isDark() ? "Light" : "Dark"; });
  if (stored.get("theme")) root.dataset.theme = stored.get("theme");
  showTheme();
  $$("button[hidden][data-do]").forEach((button) => { button.hidden = false; });

  const actions = {
    theme() { root.dataset.theme = isDark() ? "light" : "dark"; stored.set("theme", root.dataset.theme); showTheme(); },
    keys() { $("#keys").showModal(); },
    close(element) { element.closest("dialog").close(); },
    "keys-off"(box) { stored.set("keys", box.checked ? "off" : "on"); },
    copy(button) {
      const what = button.dataset.copy ? $(button.dataset.copy).textContent : location.href;
      navigator.clipboard.writeText(what).then(() => say(button.dataset.said || "Copied."));
    },
    all(box) { $$(`input[name="${box.dataset.name}"]`, box.form).forEach((one) => { one.checked = box.checked; }); },
  };
  document.addEventListener("click", (event) => {
    const element = event.target.closest("[data-do]");
    if (element && actions[element.dataset.do]) actions[element.dataset.do](element);
    $$("details[data-close][open]").forEach((one) => { if (!one.contains(event.target)) one.open = false; });
  });
  const keysOff = $("[data-do=keys-off]");
  if (keysOff) keysOff.checked = stored.get("keys") === "off";

  function say(text) {
    let out = $("#said");
    if (!out) {
      out = document.createElement("p");
      out.id = "said";
      out.className = "flash";
      out.setAttribute("role", "status");
      document.body.append(out);
    }
    out.textContent = text;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => { out.textContent = ""; }, 4000);
  }

  // A form with data-live asks again by itself when something in it changes; without scripts it has a button.
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-live]");
    if (form && !["text", "search"].includes(event.target.type)) form.requestSubmit();
  });

  // A chosen file goes into the field beside it as text, so that what is sent can be looked at.
  $$("[data-script]").forEach((one) => { one.hidden = false; });
  document.addEventListener("change", async (event) => {
    const { into, name } = event.target.dataset;
    const file = into && event.target.files[0];
    if (!file) return;
    $(into).value = await file.text();
    if (name) $(name).value = file.name;
  });

  // Keys. Never while typing, never with a modifier. `data-press` on a link or a button names its key.
  let isGoing = false;
  document.addEventListener("keydown", (event) => {
    if (stored.get("keys") === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea, dialog[open]")) return;
    const key = event.key;
    if (isGoing) {
      isGoing = false;
      const link = $(`.rail [data-key="${CSS.escape(key)}"]`);
      if (link) link.click();
      return;
    }
    if (key === "g") { isGoing = true; setTimeout(() => { isGoing = false; }, 3000); return; }
    if (key === "?") { actions.keys(); return; }
    if (key === "w") { const who = $(".who"); who.open = !who.open; $("summary", who).focus(); return; }
    if (key === "Escape") { $$("details[data-close][open]").forEach((one) => { one.open = false; }); return; }
    if (key === "/") {
      event.preventDefault();
      const field = $("#q");
      if (field) field.focus(); else $("[data-find]").click();
      return;
    }
    if (key === "v") {
      const views = $$("[data-view]");
      const next = views[(views.findIndex((one) => one.hasAttribute("aria-current")) + 1) % views.length];
      if (next) next.click();
      return;
    }
    if (key === "x") {
      const row = $$("[data-list] a[data-row]").find(isCurrent);
      const box = row && $("input[type=checkbox]", row.closest("li"));
      if (box) box.click();
      return;
    }
    if (key === "j" || key === "k") { move(key === "j" ? 1 : -1); return; }
    const pressed = $(`[data-press="${CSS.escape(key)}"]`);
    if (pressed) { event.preventDefault(); pressed.click(); }
  });

  const isCurrent = (link) => link === document.activeElement || link.getAttribute("aria-current") === "true";

  // `j` and `k` go through the links of the list with data-list.
  function move(step) {
    const links = $$("[data-list] a[data-row]");
    if (!links.length) return;
    const now = links.findIndex(isCurrent);
    const next = links[Math.min(Math.max(now + step, 0), links.length - 1)];
    next.focus();
    if (next.hasAttribute("data-open")) next.click();
  }
})();
