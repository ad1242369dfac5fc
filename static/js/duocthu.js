// Everything here improves a page that already works without it.
(function () {
  "use strict";

  var root = document.documentElement;
  var panel = document.getElementById("source-panel");
  var opener = null;

  function announce(text) {
    var announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = text;
  }

  // A browser that keeps nothing still has what was chosen until the page is left.
  function remember(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch (error) {
      return;
    }
  }

  function remembered(name) {
    try {
      return localStorage.getItem(name);
    } catch (error) {
      return null;
    }
  }

  // Theme: light, dark, or as the machine has it.
  var THEMES = ["auto", "light", "dark"];
  var THEME_NAMES = { auto: "theo máy", light: "sáng", dark: "tối" };
  var toggle = document.querySelector("[data-theme-toggle]");

  function showTheme(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    toggle.querySelector("[data-theme-name]").textContent = THEME_NAMES[theme];
  }

  if (toggle) {
    toggle.hidden = false;
    showTheme(root.dataset.theme || "auto");
    toggle.addEventListener("click", function () {
      var next = THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
      showTheme(next);
      announce("Giao diện " + THEME_NAMES[next]);
      remember("duocthu-theme", next);
    });
  }

  // The list of sections lies open where it has a column of its own.
  var contents = document.querySelector("details[data-open-wide]");
  if (contents && window.matchMedia("(min-width: 64rem)").matches) contents.open = true;

  // Enter sends, Shift+Enter breaks the line; an input method that is still composing keeps its Enter.
  document.addEventListener("keydown", function (event) {
    var box = event.target;
    if (event.key === "Enter" && box.matches && box.matches("textarea[data-enter-sends]")) {
      if (event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      box.form.requestSubmit();
    }
    if (event.key !== "Escape") pressed(event);
    else if (!helpIsOpen()) closePanel();
  });

  // Keys: the list of them is chat/shortcuts.py. None acts while something is being typed, and none at all where they
  // are switched off: to whoever speaks to the machine, a word is a row of them.
  var lead = "";
  var keysOff = remembered("duocthu-keys") === "off";

  function showKeys() {
    document.querySelectorAll("[data-keys-state]").forEach(function (state) {
      state.textContent = keysOff ? "đang tắt" : "đang bật";
    });
  }

  function toggleKeys() {
    keysOff = !keysOff;
    remember("duocthu-keys", keysOff ? "off" : "on");
    showKeys();
    announce(keysOff ? "Đã tắt phím tắt." : "Đã bật phím tắt.");
  }

  function typing(element) {
    return element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
  }

  function helpIsOpen() {
    var sheet = document.getElementById("help-sheet");
    return Boolean(sheet && sheet.open);
  }

  function pressed(event) {
    if (keysOff || event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || helpIsOpen()) return;
    var keys = lead + event.key;
    lead = event.key === "g" && lead === "" ? "g" : "";
    var action = ACTIONS[keys];
    if (!action) return;
    event.preventDefault();
    action();
  }

  function follow(name) {
    return function () {
      var link = document.querySelector('.main-nav [data-key="' + name + '"]');
      if (link) link.click();
    };
  }

  // The turn that has the focus, or had it before its source was opened, as long as it is in sight; else the one
  // that is scrolled to.
  function turnInView() {
    var turns = Array.prototype.slice.call(document.querySelectorAll("#turns > .turn"));
    var focused = document.activeElement || document.body;
    if (opener && panel.contains(focused)) focused = opener;
    var stood = focused.closest("#turns > .turn");
    if (stood && isInSight(stood)) return { turns: turns, at: turns.indexOf(stood) };
    var above = turns.filter(function (turn) {
      return turn.getBoundingClientRect().top < 120;
    });
    return { turns: turns, at: Math.max(above.length - 1, 0) };
  }

  function isInSight(element) {
    var box = element.getBoundingClientRect();
    return box.bottom > 0 && box.top < window.innerHeight;
  }

  function step(by) {
    return function () {
      var view = turnInView();
      var turn = view.turns[Math.min(Math.max(view.at + by, 0), view.turns.length - 1)];
      if (!turn) return;
      turn.scrollIntoView({ block: "start" });
      turn.querySelector(".question").focus({ preventScroll: true });
    };
  }

  function inTurn(selector) {
    return function () {
      var view = turnInView();
      var found = view.turns.length && view.turns[view.at].querySelector(selector);
      if (found) found.click();
    };
  }

  var ACTIONS = {
    "/": function () {
      var box = document.querySelector("#cau-hoi, #tim, #ten-thuoc");
      if (box) box.focus();
    },
    "n": follow("chat"),
    "gh": follow("chat"),
    "gc": follow("book"),
    "gs": follow("compare"),
    "j": step(1),
    "k": step(-1),
    "o": inTurn(".chip"),
    "c": inTurn("[data-copy]"),
    "p": function () {
      window.print();
    },
    "?": openHelp,
  };

  function openHelp() {
    var sheet = document.getElementById("help-sheet");
    var link = document.querySelector("[data-help]");
    if (!sheet || !link || !window.htmx) return;
    window.htmx.ajax("GET", link.href, { target: sheet, swap: "innerHTML" }).then(function () {
      if (!sheet.open) sheet.showModal();
      var title = document.getElementById("help-title");
      if (title) title.focus();
    });
  }

  // An answer with its sources, as text for a report; without scripts the link shows the same text.
  function copyAnswer(link) {
    var label = link.querySelector("[data-copy-label]");
    var text = fetch(link.href, { credentials: "same-origin" }).then(function (response) {
      if (!response.ok) throw new Error(String(response.status));
      return response.text();
    });
    text.then(function (found) {
      return navigator.clipboard.writeText(found);
    }).then(function () {
      label.textContent = "Đã chép";
      announce("Đã chép câu trả lời kèm nguồn.");
    }).catch(function () {
      window.location.href = link.href;
    });
  }

  function closePanel() {
    if (!panel || !panel.firstElementChild) return;
    panel.replaceChildren();
    if (opener && opener.isConnected) opener.focus();
    opener = null;
  }

  document.addEventListener("click", function (event) {
    if (event.target.closest("[data-close-panel]")) closePanel();
    if (event.target.closest("[data-keys-toggle]")) toggleKeys();
    if (event.target.closest("[data-close-help]")) document.getElementById("help-sheet").close();
    if (event.target.closest("[data-help]") && window.htmx) {
      event.preventDefault();
      openHelp();
    }
    var copy = event.target.closest("[data-copy]");
    if (copy && navigator.clipboard) {
      event.preventDefault();
      copyAnswer(copy);
    }
  });

  document.addEventListener("htmx:beforeRequest", function (event) {
    if (panel && event.detail.target === panel && !panel.contains(event.detail.elt)) opener = event.detail.elt;
    if (event.detail.elt.matches("form[data-ask]")) announce("");
  });

  // A turn that waits as it did a second ago is left alone, and so is whoever stands on its button. One that is
  // swapped takes the focus with it: it goes on to what was said of the answer, or to the question.
  var landing = "";

  function progress(turn) {
    var shown = turn.querySelector(".steps, .pending-line");
    return shown ? shown.outerHTML : "";
  }

  document.addEventListener("htmx:beforeSwap", function (event) {
    var turn = event.detail.target;
    if (!turn.matches || !turn.matches(".turn")) return;
    var next = new DOMParser().parseFromString(event.detail.serverResponse, "text/html");
    if (progress(next) && progress(next) === progress(turn)) event.detail.shouldSwap = false;
    landing = turn.contains(document.activeElement) ? ".question" : "";
    if (landing && document.activeElement.closest(".tools")) landing = ".tool-said";
  });

  document.addEventListener("htmx:afterSwap", function (event) {
    var turn = event.target;
    if (!turn.matches || !turn.matches(".turn")) return;
    var step = turn.querySelector("[aria-current=step]");
    if (step) announce(step.textContent);
    var place = landing && (turn.querySelector(landing) || turn.querySelector(".question"));
    if (place && !turn.contains(document.activeElement)) place.focus({ preventScroll: true });
    landing = "";
  });

  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target === panel) {
      panel.scrollTop = 0;
      var heading = panel.querySelector("h2");
      if (heading) heading.focus();
    }
  });

  document.addEventListener("htmx:afterRequest", function (event) {
    var form = event.detail.elt;
    if (!event.detail.successful || !form.matches || !form.matches("form[data-ask]")) return;
    var box = form.querySelector("textarea");
    if (box) emptied(box);
    var turn = document.querySelector("#turns > .turn:last-child");
    if (!turn) return;
    turn.scrollIntoView({ block: "start" });
    if (document.activeElement !== box) turn.querySelector(".question").focus({ preventScroll: true });
  });

  // A question that was refused stands in the box that came back; neither it nor the refusal outlasts the next one.
  function emptied(box) {
    var error = box.form.querySelector(".field-error");
    if (error) {
      error.remove();
      box.removeAttribute("aria-invalid");
      box.setAttribute("aria-describedby", "goi-y");
    }
    box.value = "";
  }

  // Without its picture a box would point at nothing, so boxes wait for it.
  function showMarks(picture) {
    var frame = picture.closest && picture.closest(".crop-frame");
    if (frame && picture.naturalWidth) frame.classList.add("crop-ready");
  }

  document.addEventListener("load", function (event) {
    showMarks(event.target);
  }, true);
  document.querySelectorAll(".crop-frame img").forEach(showMarks);

  function failed(event) {
    var notice = document.getElementById("connection-notice");
    if (!notice) return;
    var status = event.detail.xhr && event.detail.xhr.status;
    var texts = {403: notice.dataset.refused, 429: notice.dataset.tooMany};
    var text = texts[status] || notice.dataset.lost;
    if (status === 429) text = text.replace("…", event.detail.xhr.getResponseHeader("Retry-After") || "60");
    notice.textContent = text;
    notice.hidden = false;
    announce(text);
  }

  function recovered(event) {
    var notice = document.getElementById("connection-notice");
    if (notice && event.detail.successful) notice.hidden = true;
  }

  document.addEventListener("htmx:sendError", failed);
  document.addEventListener("htmx:timeout", failed);
  document.addEventListener("htmx:responseError", failed);
  document.addEventListener("htmx:afterRequest", recovered);

  function reveal() {
    document.querySelectorAll("[data-needs-script]").forEach(function (element) {
      element.hidden = false;
    });
    showKeys();
  }

  document.addEventListener("htmx:afterSwap", reveal);
  reveal();
})();
