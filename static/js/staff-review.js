// Keys for reviewing, the lease given up on leaving, boxes that wait for their picture. All of it works without.
(function () {
  "use strict";

  var KEPT = "duocthu-keys";
  var form = document.querySelector("form[data-decide]");
  var help = document.getElementById("phim-tat");
  var text = document.getElementById("ban-sua");
  var reason = document.getElementById("ly-do");
  var keysOff = read() === "off";
  var pending = null;
  var sent = false;

  function read() {
    try {
      return localStorage.getItem(KEPT);
    } catch (error) {
      return null;
    }
  }

  function toggleKeys() {
    keysOff = !keysOff;
    try {
      localStorage.setItem(KEPT, keysOff ? "off" : "on");
    } catch (error) {
      // Kept until the page is left.
    }
    showKeys();
  }

  function showKeys() {
    document.querySelectorAll("[data-keys-state]").forEach(function (state) {
      state.textContent = keysOff ? "đang tắt" : "đang bật";
    });
  }

  function typing(element) {
    return element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
  }

  function enter(box) {
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  }

  // Sent once: a key that is held down, or pressed again before the next page is there, decides nothing more.
  function press(button) {
    if (!button || sent) return;
    button.click();
  }

  function keyed(key) {
    return Array.prototype.find.call(document.querySelectorAll("[data-key]"), function (button) {
      return button.dataset.key.split(" ").indexOf(key) >= 0;
    });
  }

  // Rejecting and holding back need a reason: the key leads to its box, where Enter sends.
  function ask(button) {
    pending = button;
    enter(reason);
  }

  function pressed(event) {
    var key = event.key;
    if (key === "?" && help) openHelp();
    else if (key === "e" && form) enter(text);
    else if (form && form.querySelector('[data-reasoned="' + CSS.escape(key) + '"]')) {
      ask(form.querySelector('[data-reasoned="' + CSS.escape(key) + '"]'));
    } else if (keyed(key)) press(keyed(key));
    else return;
    event.preventDefault();
  }

  function inBox(event) {
    var box = event.target;
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape" && box.form === form) {
      pending = null;
      box.blur();
    }
    if (event.key !== "Enter" || !form) return;
    var command = event.ctrlKey || event.metaKey;
    if (box === text && command) {
      event.preventDefault();
      press(form.querySelector("[data-save]"));
    } else if (box === reason && pending && (command || !event.shiftKey)) {
      event.preventDefault();
      press(pending);
    }
  }

  document.addEventListener("keydown", function (event) {
    if (help && help.open) return;
    if (typing(event.target)) inBox(event);
    else if (!keysOff && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat) pressed(event);
  });

  function openHelp() {
    help.showModal();
  }

  document.addEventListener("click", function (event) {
    if (event.target.closest("[data-help]")) openHelp();
    if (event.target.closest("[data-close-help]")) help.close();
    if (event.target.closest("[data-keys-toggle]")) toggleKeys();
  });

  document.addEventListener("submit", function (event) {
    if (sent) event.preventDefault();
    sent = true;
  });

  // A page that comes back from the browser's memory is of yesterday: what was sent, and the lease, are gone.
  window.addEventListener("pageshow", function (event) {
    if (event.persisted) window.location.reload();
  });

  // The lease is given up when the page is left without a decision; one renewed since, by another page, stays.
  window.addEventListener("pagehide", function () {
    var claim = document.querySelector("[data-claim]");
    var held = claim && claim.querySelector("[data-until]");
    if (!held || sent || !navigator.sendBeacon) return;
    var body = new FormData();
    body.append("until", held.dataset.until);
    body.append("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
    navigator.sendBeacon(claim.dataset.release, body);
  });

  // Without its picture a box would point at nothing.
  function showMarks(picture) {
    var frame = picture.closest && picture.closest(".crop-frame");
    if (frame && picture.naturalWidth) frame.classList.add("crop-ready");
  }

  document.documentElement.dataset.js = "on";
  document.addEventListener("load", function (event) {
    showMarks(event.target);
  }, true);
  document.querySelectorAll(".crop-frame img").forEach(showMarks);
  document.querySelectorAll("[data-help]").forEach(function (button) {
    button.hidden = false;
  });
  showKeys();
})();
